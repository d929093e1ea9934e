"""Payloads as rules read them: only the parts that have the right type.

The schemas report wrong types. Rules get only parts of the right type, so they need not check types and cannot raise.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import islice
from types import EllipsisType
from typing import Any, TypeVar, overload

import orjson
from msgspec import Struct

from isogloss.validator.pointer import Pointer

__all__ = [
    "OF_ANSWERS", "WORDS_FOR_NULL", "Call", "Choice", "Completion", "Message", "Parsed", "Request", "Tool", "integer",
    "is_audio_model", "is_off", "items", "number", "obj", "parsed", "quantity", "repeated", "string",
]  # fmt: skip

Json = dict[str, Any]

WORDS_FOR_NULL = ("None", "null")
"""Strings that servers write in place of a null."""
_ROLES_OF_PROMPTS = frozenset({"system", "developer", "user", "tool", "function"})
OF_ANSWERS = frozenset({"object", "created", "choices", "usage", "system_fingerprint", "service_tier", "moderation"})
"""A completion or a chunk has one of these properties. ``id`` and ``model`` say nothing: every API has them."""


def string(value: object) -> str | None:
    """Return the value if it is a string."""
    return value if isinstance(value, str) else None


def integer(value: object) -> int | None:
    """Return the value if it is an integer; a boolean is not one."""
    return value if type(value) is int else None


def quantity(value: object) -> int | None:
    """Return the value if it is an integer and not negative."""
    return value if type(value) is int and value >= 0 else None


def number(value: object) -> int | float | None:
    """Return the value if it is a number; a boolean is not one."""
    return value if type(value) is int or type(value) is float else None


def obj(value: object) -> Json | None:
    """Return the value if it is an object."""
    return value if isinstance(value, dict) else None


def is_off(value: object) -> bool:
    """Return whether a boolean option is false, null or missing. A value of another type may mean anything."""
    return value is None or value is False


def items(value: object) -> Iterator[tuple[int, Json]]:
    """Yield the objects in an array, each with its index; nothing if the value is not an array."""
    if isinstance(value, list):
        for position, item in enumerate(value):
            if isinstance(item, dict):
                yield position, item


def is_audio_model(name: object) -> bool:
    """Return whether a name is that of a model of OpenAI that answers in speech, such as ``gpt-audio-1.5``.

    Streams of these models leave out what those of other models have: some chunks their choices, and calls their finish
    reason.
    """
    return isinstance(name, str) and name.startswith("gpt-") and "audio" in name


_MANY = 4096
"""Of an array with more items, views are made anew each time: kept, they take several times the memory of the items."""
_V = TypeVar("_V", covariant=True)


class _LazyViews(Sequence[_V]):
    """Views of the objects in a long array. Each is made when it is read, and not kept."""

    __slots__ = ("_length", "_make", "_values")

    def __init__(self, values: list[Any], make: Callable[[Json, int], _V]) -> None:
        self._values = values
        self._make = make
        self._length = sum(isinstance(value, dict) for value in values)

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[_V]:
        make = self._make
        return (make(value, position) for position, value in enumerate(self._values) if isinstance(value, dict))

    @overload
    def __getitem__(self, number: int) -> _V: ...
    @overload
    def __getitem__(self, number: slice) -> list[_V]: ...
    def __getitem__(self, number: int | slice) -> _V | list[_V]:
        if isinstance(number, slice):
            return [*self][number]
        return next(islice(self, range(len(self))[number], None))


def _views(values: object, make: Callable[[Json, int], _V]) -> Sequence[_V]:
    """Return a view of each object in an array, made of the object and its position."""
    if not isinstance(values, list):
        return ()
    if len(values) > _MANY:
        return _LazyViews(values, make)
    return [make(value, position) for position, value in enumerate(values) if isinstance(value, dict)]


class Parsed(Struct, frozen=True):
    """The JSON value that a text holds."""

    value: object


def parsed(text: str) -> Parsed | None:
    """Return the JSON value that a text holds, or ``None`` if the text is not JSON."""
    try:
        return Parsed(orjson.loads(text.encode("utf-8", "surrogatepass")))
    except orjson.JSONDecodeError:
        return None


def repeated(values: Iterable[_V], key: Callable[[_V], Hashable]) -> Iterator[_V]:
    """Yield each value whose key an earlier value has, too. Values with the key ``None`` are left out."""
    seen: set[Hashable] = {None}
    for value in values:
        value_key = key(value)
        if value_key is not None and value_key in seen:
            yield value
        seen.add(value_key)


class Call:
    """A call in a message, of a tool or (deprecated) of a function.

    ``at`` is its pointer, and ``inner_at`` is the pointer of the object with its name and its arguments. The call of a
    function is that object itself: it is ``flat``. ``arguments`` are the arguments of a function, or the input of a
    custom tool. ``type`` is ``function`` if the payload has no type, since servers older than custom tools send none.
    """

    __slots__ = ("_parsed", "arguments", "at", "id", "inner_at", "name", "type", "value")

    def __init__(self, value: Json, at: Pointer, *, flat: bool = False) -> None:
        self.value = value
        self.at = at
        kind, own = value.get("type"), value.get("id")
        custom = kind == "custom" and not flat
        self.id = own if isinstance(own, str) else None
        self.type: str = kind if kind and isinstance(kind, str) and not flat else "function"
        part = "custom" if custom else "function"
        self.inner_at: Pointer = at if flat else (*at, part)
        inner = value if flat else value.get(part)
        name, arguments = (
            (inner.get("name"), inner.get("input" if custom else "arguments")) if isinstance(inner, dict) else _NOTHING
        )
        self.name = name if isinstance(name, str) else None
        self.arguments = arguments if isinstance(arguments, str) else None
        self._parsed: Parsed | EllipsisType | None = ...

    @property
    def name_at(self) -> Pointer:
        """The pointer of its name."""
        return (*self.inner_at, "name")

    @property
    def arguments_at(self) -> Pointer:
        """The pointer of its arguments."""
        return (*self.inner_at, "input" if self.type == "custom" else "arguments")

    @property
    def parsed(self) -> Parsed | None:
        """The JSON value of its arguments, or ``None`` if there are none or they are not JSON."""
        if self._parsed is ...:
            self._parsed = parsed(self.arguments or "")
        return self._parsed


_NOTHING = (None, None)
_EMPTY: Json = {}
"""Stands in place of a message. It is one object for all, since a document may have very many choices without one."""


def _calls(calls: object, at: Pointer) -> Sequence[Call]:
    at = (*at, "tool_calls")
    return _views(calls, lambda call, position: Call(call, (*at, position)))


class Choice:
    """A choice of a completion.

    ``at`` is its pointer, ``position`` its position in the array, and ``index`` its property of that name. ``calls``
    are its tool calls. ``function_call`` is also ``None`` if it has no name, since some servers send empty strings in
    place of missing values. ``called`` are the calls of both kinds, in order.
    """

    __slots__ = (
        "at",
        "called",
        "calls",
        "content",
        "finish_reason",
        "function_call",
        "index",
        "logprobs",
        "message",
        "position",
        "refusal",
        "value",
    )

    def __init__(self, value: Json, position: int) -> None:
        get = value.get
        self.value = value
        self.position = position
        self.at: Pointer = ("choices", position)
        index, finish_reason, logprobs, message = get("index"), get("finish_reason"), get("logprobs"), get("message")
        self.index = index if type(index) is int else None
        self.finish_reason = finish_reason if isinstance(finish_reason, str) else None
        self.logprobs = logprobs if isinstance(logprobs, dict) else None
        self.message: Json = message if isinstance(message, dict) else _EMPTY
        get = self.message.get
        content, refusal, calls, function = get("content"), get("refusal"), get("tool_calls"), get("function_call")
        self.content = content if isinstance(content, str) else None
        self.refusal = refusal if isinstance(refusal, str) else None
        self.calls: Sequence[Call] = _calls(calls, (*self.at, "message")) if calls else ()
        self.called = self.calls
        self.function_call: Json | None = None
        if isinstance(function, dict) and function.get("name"):
            self.function_call = function
            self.called = [*self.calls, Call(function, (*self.at, "message", "function_call"), flat=True)]


class Completion:
    """A completion as a server sent it or, with ``folded``, as its stream folds into it.

    ``request`` is the request that it answers, if the capture holds it. A rule that works without it may say more with
    it.
    """

    __slots__ = ("_choices", "folded", "request", "value")

    def __init__(self, value: Json, *, folded: bool = False, request: Request | None = None) -> None:
        self.value = value
        self.folded = folded
        self.request = request
        self._choices: Sequence[Choice] | None = None

    @property
    def id(self) -> str | None:
        """The property of that name, if it is a string."""
        return string(self.value.get("id"))

    @property
    def model(self) -> str | None:
        """The property of that name, if it is a string."""
        return string(self.value.get("model"))

    @property
    def created(self) -> int | float | None:
        """The property of that name, in seconds since 1970, if it is a number."""
        return number(self.value.get("created"))

    @property
    def usage(self) -> Json | None:
        """The property of that name, if it is an object."""
        return obj(self.value.get("usage"))

    @property
    def choices(self) -> Sequence[Choice]:
        """The choices that are objects, in order."""
        if self._choices is None:
            self._choices = _views(self.value.get("choices"), Choice)
        return self._choices


class Message:
    """A message of a request; ``at`` is its pointer."""

    __slots__ = ("at", "calls", "content", "role", "tool_call_id", "value")

    def __init__(self, value: Json, position: int) -> None:
        self.value = value
        self.at: Pointer = ("messages", position)
        role, call, calls = value.get("role"), value.get("tool_call_id"), value.get("tool_calls")
        self.role = role if isinstance(role, str) else None
        self.content = value.get("content")
        self.tool_call_id = call if isinstance(call, str) else None
        self.calls: Sequence[Call] = _calls(calls, self.at) if calls else ()

    @property
    def parts(self) -> Iterator[tuple[Pointer, Json]]:
        """The parts of its content that are objects, each with its pointer."""
        at = (*self.at, "content")
        return (((*at, position), part) for position, part in items(self.content))

    @property
    def texts(self) -> Iterator[str]:
        """Its content if it is a string, or else the texts of its parts."""
        if isinstance(self.content, str):
            yield self.content
        for _, part in self.parts:
            if isinstance(text := part.get("text"), str):
                yield text


class Tool:
    """A tool that a request declares, or (deprecated) a function; ``parameters`` is the schema of its arguments.

    ``inner_at`` is the pointer of the object with its name and its parameters. A function is that object itself: it is
    ``flat``. Only tools of the type ``function`` have parameters.
    """

    __slots__ = ("at", "inner_at", "name", "parameters", "strict", "type", "value")

    def __init__(self, value: Json, at: Pointer, *, flat: bool = False) -> None:
        self.value = value
        self.at = at
        kind = value.get("type")
        self.type: str = kind if kind and isinstance(kind, str) and not flat else "function"
        part = "custom" if self.type == "custom" else "function"
        self.inner_at: Pointer = at if flat else (*at, part)
        inner = value if flat else value.get(part)
        if not isinstance(inner, dict):
            inner = {}
        name = inner.get("name")
        self.name = name if isinstance(name, str) else None
        self.parameters = inner.get("parameters") if self.type == "function" else None
        self.strict = inner.get("strict") is True and not flat

    @property
    def name_at(self) -> Pointer:
        """The pointer of its name."""
        return (*self.inner_at, "name")

    @property
    def parameters_at(self) -> Pointer:
        """The pointer of its parameters."""
        return (*self.inner_at, "parameters")


def _holds_others(values: object) -> bool:
    """Return whether a value is something else than null or an array of objects."""
    return values is not None and not (isinstance(values, list) and all(isinstance(value, dict) for value in values))


def _tool(value: Json, position: int) -> Tool:
    return Tool(value, ("tools", position))


class Request:
    """A request with its messages and tools. Rules read options by name (``request.value.get("n")``).

    ``model`` is the property of that name, or an empty string if it is none. ``options`` is a request without messages
    that has the same options: what is read of these is read there, and so only once for several requests.
    """

    __slots__ = ("_declared", "_messages", "_options", "_prompt_text", "_tools", "model", "stream", "value")

    def __init__(self, value: Json, options: Request | None = None) -> None:
        self.value = value
        self.model: str = (string(value.get("model")) or "") if options is None else options.model
        self.stream: bool = value.get("stream") is True if options is None else options.stream
        self._options = options
        self._tools: Sequence[Tool] | None = None
        self._messages: Sequence[Message] | None = None
        self._declared: dict[str, Tool] | None = None
        self._prompt_text: str | None = None

    @property
    def messages(self) -> Sequence[Message]:
        """The messages that are objects, in order."""
        if self._messages is None:
            self._messages = _views(self.value.get("messages"), Message)
        return self._messages

    @property
    def prompt_text(self) -> str:
        """The texts of all messages but those of the model, joined."""
        if self._prompt_text is None:
            messages = (message for message in self.messages if message.role in _ROLES_OF_PROMPTS)
            self._prompt_text = "\0".join(text for message in messages for text in message.texts)
        return self._prompt_text

    @property
    def response_format(self) -> Json:
        """The property of that name, or an empty object if it is none."""
        return obj(self.value.get("response_format")) or {}

    @property
    def stop_sequences(self) -> list[str]:
        """The stop sequences that are not empty, in order."""
        stop = self.value.get("stop")
        return [one for one in (stop if isinstance(stop, list) else [stop]) if one and isinstance(one, str)]

    @property
    def wants_audio(self) -> bool:
        """Whether ``modalities`` asks for audio."""
        modalities = self.value.get("modalities")
        return isinstance(modalities, list) and "audio" in modalities

    @property
    def tools(self) -> Sequence[Tool]:
        """The tools that are objects, in order."""
        if self._tools is None:
            self._tools = _views(self.value.get("tools"), _tool) if self._options is None else self._options.tools
        return self._tools

    @property
    def declared(self) -> dict[str, Tool]:
        """What the request declares, by name: tools and (deprecated) functions."""
        if self._declared is None:
            self._declared = self._declarations() if self._options is None else self._options.declared
        return self._declared

    @property
    def declares_unknown(self) -> bool:
        """Whether the request also declares something whose name is not where the reference has it, or nowhere."""
        tools, functions = self.value.get("tools"), self.value.get("functions")
        if any(not tool.name for tool in self.tools) or _holds_others(tools) or _holds_others(functions):
            return True
        return any(not string(value.get("name")) for _, value in items(functions))

    def _declarations(self) -> dict[str, Tool]:
        found = {tool.name: tool for tool in self.tools if tool.name is not None}
        for position, value in items(self.value.get("functions")):
            function = Tool(value, ("functions", position), flat=True)
            if function.name is not None:
                found[function.name] = function
        return found
