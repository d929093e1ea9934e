"""Cases about what a message may be: roles, parts, images, and characters of several bytes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from isogloss.cli.probe import answer_checks
from isogloss.cli.probe.cases.case import Case
from isogloss.cli.probe.cases.questions import HELLO, LONG, STREAM, ask, user

__all__ = ["cases"]

_PNG = (  # one transparent pixel
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"
    "AAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


_case = partial(Case, group="messages")


def cases() -> Iterator[Case]:
    """Yield the cases of the group ``messages``."""
    yield _case(
        "emoji-stream", "characters of several bytes in a stream", "stream with characters of several tokens",
        "One emoji is several tokens: cut between two chunks, it becomes two broken characters.",
        "https://github.com/Luce-Org/lucebox/pull/641",
        ask(user("Answer with these emoji: 🌊🌍🔥🌱🌙👩‍🚀"), limit=LONG, **STREAM),
        expects=answer_checks.expect_several_bytes,
    )  # fmt: skip
    yield _case(
        "developer-role", "instructions of a developer", "messages with the role developer",
        "Agents send their instructions in this way to models that reason; if it is refused, they do not work at all.",
        "https://github.com/peonist-ai/halogen-server/issues/3",
        ask({"role": "developer", "content": "Be brief."}, HELLO),
    )  # fmt: skip
    yield _case(
        "system-role", "instructions of the system, in two messages", "messages with the role system",
        "Frameworks add a system message of their own; templates that accept only one refuse the request.",
        "https://github.com/sgl-project/sglang/issues/37845",
        ask({"role": "system", "content": "Be brief."}, {"role": "system", "content": "Be polite."}, HELLO),
    )  # fmt: skip
    yield _case(
        "content-parts", "a message in parts", "content as a list of parts",
        "Some clients always send parts, and cannot use a server that accepts only text.",
        "https://github.com/penta2himajin/qwisp/pull/83",
        ask(user([_text("Say"), _text("hello.")])),
    )  # fmt: skip
    yield _case(
        "image", "an image of one pixel", "content with an image",
        "A server that cannot read images has to refuse it: if it drops the image, the answer is about something else.",
        "https://github.com/leonickson1/Swiftlet/pull/38",
        ask(user([_text("What colour is this?"), {"type": "image_url", "image_url": {"url": _PNG}}])),
    )  # fmt: skip
