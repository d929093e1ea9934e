"""Test which forms of TypeScript declarations are read, and that any other form is an error with its place."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.cli.drift import packages, typescript
from isogloss.cli.drift.alternatives import Document
from isogloss.cli.drift.described import UnreadableSource
from isogloss.cli.drift.packages import PackageFiles
from isogloss.cli.drift.shapes import Shape, shape

COMPLETIONS = """
import { APIResource } from '../../../core/resource.js';
import * as CompletionsAPI from "./completions.js";
import * as Shared from 'made-up/resources/shared';
import { type Usage as CompletionUsage, Stream } from "../../usage.js";
export declare class Completions extends APIResource {
    create(body: ChatCompletionCreateParams, options?: Record<string, { a: () => void }>): Promise<ChatCompletion>;
}
export declare const VERSION = "1; }";
export { Stream } from "../../usage.js";
/** A comment with `interface Fake {`. */
export interface Base {
    id: string;
    created?: number;
}
export interface ChatCompletion extends Base, Shared.Tagged {
    readonly created: number; // of this interface, which requires it
    choices: Array<ChatCompletion.Choice>;
    usage?: CompletionUsage | null | undefined;
    'x-y'?: Shared.Word;
}
export declare namespace ChatCompletion {
    interface Choice {
        message: Choice.Message;
        scores: readonly number[];
    }
    namespace Choice {
        interface Message { role: 'assistant'; meta: { [key: string]: unknown }; record: Record<string, boolean> }
    }
}
export type ChatCompletionChunk = CompletionsAPI.ChatCompletion.Choice;
export type ChatCompletionCreateParams = Base & { more: true | false };
"""
SHARED = """
export * from "./words.js";
export interface ErrorObject { message: string }
export interface Tagged { tag: (string & {}) | 'a' | "b" }
"""
FILES = {
    "resources/chat/completions/completions.d.ts": COMPLETIONS,
    "resources/shared.d.ts": SHARED,
    "resources/words/index.d.ts": "export type Word =\n    | 'x'\n    | 'y';\n",
    "resources/usage.d.ts": "export interface Usage { total: number }\nexport interface Stream<T> { of: T }\n",
}


def make_package(**changed: str) -> PackageFiles:
    return PackageFiles("made-up", {name: text.encode() for name, text in {**FILES, **changed}.items()})


def shape_at(kind: str, *names: str) -> Shape:
    """Return the shape that the package describes at a path of a payload. ``[]`` means the items of an array."""
    document = typescript.read(make_package()).documents[kind]
    found = shape(((document, Document(document)),))
    for name in names:
        nodes = found.items if name == "[]" else next(iter(found.objects.values())).properties[name]
        found = shape(nodes)
    return found


def test_interfaces_inherit_and_override_across_modules() -> None:
    (completion,) = shape_at("completion").objects.values()
    assert completion.properties.keys() == {"id", "created", "choices", "usage", "x-y", "tag"}
    assert completion.required == {"id", "created", "choices", "tag"}


def test_names_are_found_in_namespaces_imports_and_exports_of_other_modules() -> None:
    assert shape_at("completion", "choices", "[]", "message", "role").words == {"assistant"}
    assert shape_at("chunk", "message", "role").words == {"assistant"}
    assert shape_at("completion", "usage").types == {"object", "null"}
    assert shape_at("completion", "usage", "total").types == {"number"}
    assert shape_at("completion", "x-y").words == {"x", "y"}
    assert shape_at("completion", "x-y").closed


def test_words_are_not_closed_if_any_string_is_allowed() -> None:
    tag = shape_at("completion", "tag")
    assert tag.words == {"a", "b"}
    assert not tag.closed


def test_arrays_maps_and_intersections_are_read_with_their_contents() -> None:
    assert shape_at("completion", "choices", "[]", "scores", "[]").types == {"number"}
    (record,) = shape_at("chunk", "message", "record").objects.values()
    assert shape(record.values).types == {"boolean"}
    assert shape_at("request", "more").types == {"boolean"}
    assert shape_at("request", "id").types == {"string"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("export type Word = keyof Foo;", "keyof is not declared"),
        ("export type Word = [string, number];", "words/index.d.ts:1: a type was expected, and there is '['"),
        ("export type Word =\n  Pick<Foo, 'a'>;", "the type Pick with parameters is unknown"),
        ("export type Word = Array<'a' 'b'>;", "the end of a type was expected"),
        ("export interface Word extends Word {}", "only an interface can be extended"),
        ("export interface Word extends Array<string> {}", "only an interface can be extended"),
        ("export type Word<T> = T;", "Word has parameters"),
        ("export type Word = 'x'", "words/index.d.ts:1: the declaration has no end"),
        ("export interface Word { a: string", "'}' was expected"),
        ("export interface Word { a(): string }", "words/index.d.ts:1: ':' was expected, and there is '('"),
        ("export type Word = `a${string}`;", "a type was expected"),
        ("", "Shared.Word is not declared"),
    ],
)
def test_an_unknown_form_is_an_error_with_its_place(text: str, message: str) -> None:
    with pytest.raises(UnreadableSource) as raised:
        typescript.read(make_package(**{"resources/words/index.d.ts": text}))
    assert message in str(raised.value)


def test_a_bracket_behind_an_escaped_quotation_mark_is_part_of_the_string() -> None:
    words = "export declare const QUOTED = '\\'{';\nexport type Word = 'x';\n"
    document = typescript.read(make_package(**{"resources/words/index.d.ts": words})).documents["completion"]
    assert {"const": "x"} in document["$defs"].values()


def test_a_module_that_is_not_in_the_package_is_an_error() -> None:
    with pytest.raises(UnreadableSource, match=r"the package has no \./words\.js"):
        typescript.read(PackageFiles("made-up", {k: v.encode() for k, v in FILES.items() if "words" not in k}))


@given(st.text(alphabet="abT :;{}[]()<>|&'\"`=,.?/*\n\\0#", max_size=60))
def test_any_declarations_are_read_or_are_an_error(text: str) -> None:
    with contextlib.suppress(UnreadableSource):
        typescript.read(make_package(**{"resources/words/index.d.ts": text + "\nexport type Word = A;"}))


@given(st.text(alphabet="abT :;{}[]()<>|&'\"`=,.?", max_size=40))
def test_any_type_is_read_or_is_an_error(text: str) -> None:
    with contextlib.suppress(UnreadableSource):
        typescript.read(
            make_package(**{"resources/words/index.d.ts": f"export type a = 'a';\nexport type Word = {text};"})
        )


def test_a_folder_with_the_package_is_read_like_its_tarball(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    assert typescript.read(packages.npm_package(tmp_path)).documents == typescript.read(make_package()).documents
