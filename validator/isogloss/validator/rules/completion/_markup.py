"""Find the markup in which models write calls, turns and channels.

A text may also only mention such markup, for example in an explanation. ``leaked_marker`` ignores mentions.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache

from isogloss.validator.rules.completion._texts import without_code

__all__ = ["calls_by_name", "leaked_marker", "left_in_argument", "may_hold_markup", "without_markers"]


_SUFFIX = "(?::[a-z0-9_-]{1,20})?"
"""What follows the name of a tag in the released checkpoints of some models: `<tool_call:opensource>`."""


@cache
def _marker_pattern() -> re.Pattern[str]:
    """Return the expression that finds the markup of any model.

    It takes milliseconds to compile. A run without any markup does not need to spend them.
    """
    return re.compile(
        r"<\|/?[A-Za-z_][\w.-]{0,40}\|>"  # <|im_end|>, <|channel|>, <|tool_call_begin|>, <|close|>
        r"|<\|(?:tool_call|tool_response|tool|channel|turn|think)>|<(?:tool_call|tool_response|tool|channel|turn)\|>"
        r"|</?[｜‖]{1,2}[^｜‖<>\n]{1,40}[｜‖]{1,2}[^｜‖<>\n]{0,120}>?"  # <｜DSML｜invoke name="…">
        rf"|</?(?:[a-z]{{2,12}}:)?tool_calls?{_SUFFIX}>|</?(?:xai:)?function_calls?>|</?(?:longcat_)?tool_call>"
        rf"|</?toolcall>|</?(?:arg_(?:key|value)|tool_sep){_SUFFIX}>"
        r"|<function=[\w.:-]{1,64}>|</function>|<parameter=[\w.-]{1,64}>|</parameter>"
        r"|<invoke name=\"[^\"<>\n]{1,64}\">|</invoke>"
        r"|<(?:start|end)_of_turn>|<(?:start|end)_function_call>"
        r"|\[/?(?:TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS|ARGS|CALL_ID|INST)\]"
        r"|\]<\]minimax\[>\[|</s>",
        re.IGNORECASE,
    )


_HINTS = ("[TOOL_", "[/TOOL_", "[ARGS]", "[CALL_ID]", "[/INST]", "[INST]", "[AVAIL")
_AFTER_MENTION = r"[ \t]+(?:[a-z]+[ ,.;:]|[(–—-])|[,.;:!?)\"'”’]"
"""Matches what follows a marker that a text only mentions at its beginning: "<tool_call> marks …"."""
_NAME = r"[\"']?([A-Za-z_][\w.-]{0,127})"


@cache
def _call_name_pattern() -> re.Pattern[str]:
    """Return the expression that finds the name in a call."""
    return re.compile(
        r"\"name\"\s*:\s*" + _NAME + r"\""
        r"|<function=" + _NAME + r"|<[｜‖]*(?:DSML[｜‖]+)?invoke name=" + _NAME + r"|\bfunctions\." + _NAME + r""
        r"|\bto=" + _NAME + r"|</?tool_call>\s*" + _NAME + r"\s*(?:<|\n)|\bcall:" + _NAME + r"\s*\{"
        r"|\[TOOL_CALLS\]\s*" + _NAME + r"|tool▁sep｜>" + _NAME
    )


@cache
def _call_pattern() -> re.Pattern[str]:
    """Return the expression that matches a call behind its opening marker: in JSON, or in markup of its own."""
    return re.compile(
        r"\s*(?:[\[{]\s*[{\"']|<function=|<invoke name=|<[｜‖]|call:\w|functions\.\w"
        r"|\w[\w.-]*\s*(?:<arg_key>|\[ARGS\]|\{))"
    )


_MOST_MARKERS = 200


def may_hold_markup(text: str) -> bool:
    """Return whether a text can hold any markup. This check is quick."""
    return "<" in text or ("[" in text and any(hint in text for hint in _HINTS))


def leaked_marker(text: str) -> re.Match[str] | None:
    """Return the first marker in a text that is not only mentioned, or ``None`` if there is none.

    Markers in code are mentions, and so are markers inside a sentence. Any of these is not a mention: a marker at the
    beginning or the end of the text, a marker that opens a call, a marker directly behind another one, a token that is
    attached to the last word of a line, and a closing marker on a line of its own if the text did not open it before.
    """
    text = without_code(text)
    begin, end = len(text) - len(text.lstrip()), len(text.rstrip())
    previous = -1
    for count, found in enumerate(_marker_pattern().finditer(text)):
        at_begin = found.start() == begin and not re.compile(_AFTER_MENTION).match(text, found.end())
        if (
            at_begin
            or (found.end() == end and (_is_token(found[0]) or not _has_other_half(found[0], text[: found.start()])))
            or previous == found.start()
            or _opens_call(text, found)
            or _is_attached(text, found)
            or _is_unopened(text, found)
        ):
            return found
        previous = found.end()
        if count == _MOST_MARKERS:
            break
    return None


def _opens_call(text: str, found: re.Match[str]) -> bool:
    """Return whether a call follows a marker. If the marker is a tag, and not a token, it must also begin a line."""
    if "/" in found[0][:2] or _call_pattern().match(text, found.end()) is None:
        return False
    return _is_token(found[0]) or not text[text.rfind("\n", 0, found.start()) + 1 : found.start()].strip()


def _is_token(marker: str) -> bool:
    """Return whether a marker is spelt like a special token, and not like an XML tag."""
    return "|" in marker or "｜" in marker or marker[0] in "[]"


def _is_attached(text: str, found: re.Match[str]) -> bool:
    before, after = text[found.start() - 1 : found.start()], text[found.end() : found.end() + 1]
    return after == "\n" and _is_token(found[0]) and not before.isspace() and before not in "\"'(“‘"


def _is_unopened(text: str, found: re.Match[str]) -> bool:
    """Return whether a marker on a line of its own closes something that was not opened before it."""
    start, end = found.span()
    if found[0][1:2] != "/" or (start and text[start - 1] != "\n") or text[end : end + 1] not in ("", "\n"):
        return False
    return text.find(found[0].replace("/", "", 1), 0, start) == -1


def calls_by_name(text: str, names: Collection[str]) -> str | None:
    """Return the first of ``names`` that a text calls in a model's markup, or ``None`` if it calls none of them.

    Code in the text is left out.
    """
    text = without_code(text)
    marker = _marker_pattern().search(text)
    if marker is None:
        return None
    for found in _call_name_pattern().finditer(text, max(0, marker.start() - 80)):
        name = next((group for group in found.groups() if group), "").rstrip(".-")
        for known in (name, name.rpartition(".")[2]):
            if known in names:
                return known
    return None


def left_in_argument(text: str) -> re.Match[str] | None:
    """Return a marker that was left in a value of arguments, or ``None`` if there is none.

    It is at the beginning or at the end of the value, and the value does not have its other half. A ``DSML`` marker
    counts anywhere.
    """
    stripped = text.strip()
    last = None
    for count, found in enumerate(_marker_pattern().finditer(stripped)):
        opens_value = found.start() == 0 and found[0][1:2] != "/"
        if "DSML" in found[0] or (opens_value and not _has_other_half(found[0], stripped)):
            return found
        last = found
        if count == _MOST_MARKERS:
            return None
    if last is not None and last.end() == len(stripped) and not _has_other_half(last[0], stripped):
        return last
    return None


def without_markers(text: str) -> str:
    """Return a text without the markers in it."""
    return _marker_pattern().sub("", text)


def _has_other_half(marker: str, text: str) -> bool:
    """Return whether a text has what opens or closes a marker. If it has both, it is written about this markup."""
    tag_name = marker.strip("<>|/｜").split("=")[0].split(" ")[0].lower()
    for half, other in (("start", "end"), ("begin", "end"), ("end", "start"), ("end", "begin")):
        if half in tag_name and tag_name.replace(half, other) in text.lower():
            return True
    return (marker.replace("/", "", 1).rstrip(">") if marker[1:2] == "/" else f"</{tag_name}") in text
