"""Test which forms of Python types are read, with modules that are like those of the client."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.cli.drift import python_types
from isogloss.cli.drift.alternatives import Document
from isogloss.cli.drift.described import UnreadableSource
from isogloss.cli.drift.packages import PackageFiles
from isogloss.cli.drift.shapes import Object, Shape, shape

FILES = {
    "types/chat/chat_completion.py": '''
from typing import Dict, List, Union, Optional
from pydantic import Field as FieldInfo
from ..._models import BaseModel
from ..shared import Word, Base
from .usage import Usage as _Usage

Alias: TypeAlias = Annotated[Union[_Usage, "Other"], PropertyInfo(discriminator="type")]


class Other(BaseModel):
    """What is referred to before it is defined."""

    type: Literal["other"]


class ChatCompletion(Base):
    """The answer."""

    usage: Optional[_Usage] = None

    parts: List[Alias]

    schema_: Optional[Dict[str, object]] = FieldInfo(alias="schema", default=None)

    word: Word

    maybe: int | None = None

    def method(self) -> int:
        return 1
''',
    "types/chat/usage.py": (
        "class Usage(BaseModel):\n    type: Literal['usage']\n    total: int\n    share: float = 0.5\n"
    ),
    "types/chat/chat_completion_chunk.py": "class ChatCompletionChunk(BaseModel):\n    id: str\n",
    "types/chat/completion_create_params.py": """
class CompletionCreateParamsBase(TypedDict, total=False):
    model: Required[Union[str, Literal["a"]]]
    stop: Union[Optional[str], SequenceNotStr[str], None]
    from_: Annotated[str, PropertyInfo(alias="from")]

class CompletionCreateParamsStreaming(CompletionCreateParamsBase):
    stream: Required[Literal[True]]

CompletionCreateParams = Union[CompletionCreateParamsBase, CompletionCreateParamsStreaming]
""",
    "types/shared/__init__.py": "from .word import Word as Word\nfrom .base import Base\n",
    "types/shared/word.py": 'Word: TypeAlias = Literal["x", "y"]\n',
    "types/shared/base.py": "class Base(BaseModel):\n    id: str\n    created: Optional[int] = None\n",
    "types/shared/error_object.py": "class ErrorObject(BaseModel):\n    message: str\n",
}


def make_package(**changed: str) -> PackageFiles:
    return PackageFiles("made-up", {name: text.encode() for name, text in {**FILES, **changed}.items()})


def root_object(kind: str, **changed: str) -> Object:
    document = python_types.read(make_package(**changed)).documents[kind]
    (found,) = shape(((document, Document(document)),)).objects.values()
    return found


def property_shape(kind: str, name: str) -> Shape:
    return shape(root_object(kind).properties[name])


def test_models_have_the_fields_of_their_parents_under_their_names_in_json() -> None:
    completion = root_object("completion")
    assert completion.properties.keys() == {"id", "created", "usage", "parts", "schema", "word", "maybe"}
    assert completion.required == {"id", "parts", "word"}


def test_a_parent_that_many_classes_share_is_read_once() -> None:
    chain = "".join(
        f"class B{level}(A{level + 1}): pass\nclass A{level}(B{level}, A{level + 1}):\n    a{level}: int\n"
        for level in range(60)
    )
    module = f"class A60(A60):\n    id: str\n{chain}class ChatCompletion(A0): pass\n"
    completion = root_object("completion", **{"types/chat/chat_completion.py": module})
    assert completion.required == {"id", *(f"a{level}" for level in range(60))}


def test_a_class_may_leave_out_what_its_parent_requires() -> None:
    module = "class Parent(BaseModel):\n    id: str\n    n: int\nclass ChatCompletion(Parent):\n    id: str = 'x'\n"
    assert root_object("completion", **{"types/chat/chat_completion.py": module}).required == {"n"}


def test_it_is_unknown_whether_a_field_with_the_default_none_is_required() -> None:
    assert root_object("completion").unsure == {"created", "usage", "schema", "maybe"}


def test_a_typed_dictionary_requires_only_the_fields_that_are_marked() -> None:
    request = root_object("request")
    assert request.properties.keys() == {"model", "stop", "from", "stream"}
    assert request.required == {"model"}
    assert property_shape("request", "stop").types == {"string", "array", "null"}
    assert property_shape("request", "model").words == {"a"}
    assert not property_shape("request", "model").closed


def test_aliases_are_followed_through_packages_and_forward_references() -> None:
    assert property_shape("completion", "word").words == {"x", "y"}
    assert property_shape("completion", "word").closed
    assert shape(property_shape("completion", "parts").items).objects.keys() == {"usage", "other"}
    assert property_shape("completion", "maybe").types == {"integer", "null"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Word = Callable[[int], str]", "the type Callable is unknown"),
        ("Word = a.b", "word.py:1: a type of an unknown form"),
        ("Word = (", "word.py:1:"),
        ("Word = Nowhere", "word.py does not define Nowhere"),
        ("from .word import Word", "word.py does not define Word"),
        ("from ..nowhere import Word", "no module nowhere in the package"),
    ],
)
def test_an_unknown_form_is_an_error_with_its_place(text: str, message: str) -> None:
    with pytest.raises(UnreadableSource) as raised:
        python_types.read(make_package(**{"types/shared/word.py": text}))
    assert message in str(raised.value)


@given(st.text(alphabet="aListUno[], |.'\"()\n:=*", max_size=40))
def test_any_type_is_read_or_is_an_error(text: str) -> None:
    with contextlib.suppress(UnreadableSource):
        python_types.read(make_package(**{"types/shared/word.py": f"a = str\nWord = {text}"}))
