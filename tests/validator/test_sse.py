"""Test the parser of event streams: its events are those of the standard, with their places and everything unusual."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from isogloss.validator import sse
from isogloss.validator.sse import Event, Framing, parse
from isogloss.validator.text import Text

pieces = st.sampled_from(
    b"data: |data:|data|{}|[DONE]|\n\n|\n|\r|\r\n|: hi|event: e|id: 1|retry|\xef\xbb\xbf| |x|\xff|\xc3\xa9|da|:".split(
        b"|"
    )
)
streams = st.one_of(st.binary(), st.lists(pieces).map(b"".join))
ordinary_streams = st.lists(st.binary()).map(
    lambda values: b"".join(b"data: %b\n\n" % value.translate(None, b"\r\n") for value in values)
)


def data_of(framing: Framing) -> list[bytes]:
    return [event.data for event in framing.events]


def events_by_the_standard(text: bytes) -> list[tuple[bytes, str | None]]:
    """Return data and type of the dispatched events, computed by the steps that the standard prescribes."""
    text = text.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    events, data, event_type = [], b"", ""
    for line in text.split(b"\n")[:-1]:
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if not line:
            if data:
                events.append((data.removesuffix(b"\n"), event_type or None))
            data, event_type = b"", ""
        elif name == b"data":
            data += value + b"\n"
        elif name == b"event":
            event_type = value.decode(errors="replace")
    return events


@given(streams)
@example(b"data: a\n\n\ndata: b\n\n")
@example(b"data: a\ndata: \n\ndata: b\n\n")
def test_complete_events_are_those_of_the_standard(text: bytes) -> None:
    framing = parse(text)
    complete = [(event.data, event.type) for event in framing.events if event.complete]
    assert complete == events_by_the_standard(text)


def _without_ordinary(framing: sse.Framing) -> dict[str, object]:
    return {name: value for name, value in vars(framing).items() if name != "ordinary"}


@given(st.one_of(streams, ordinary_streams))
@example(b"data: \n\n")
@example(b"data: data: \n\n")
@example(b"data: a\n\n\n\ndata: b\n\n")
@example(b"data: a\n\ndata:b\n\n")
def test_parser_of_ordinary_streams_gives_the_same_as_the_parser_of_lines(text: bytes) -> None:
    ordinary = sse._parse_ordinary(text)
    if ordinary is not None:
        assert _without_ordinary(ordinary) == _without_ordinary(sse._parse_lines(text))


@given(ordinary_streams)
def test_ordinary_streams_are_read_by_the_parser_of_ordinary_streams(text: bytes) -> None:
    ordinary = sse._parse_ordinary(text)
    assert (ordinary is not None) == bool(text)
    assert ordinary is None or all(type(event) is Event for event in ordinary.events)


@given(st.one_of(streams, ordinary_streams))
def test_every_data_byte_has_its_offset_in_the_text(text: bytes) -> None:
    for event in parse(text).events:
        for index, (data_offset, text_offset) in enumerate(event.segments or [(0, event.offset)]):
            end = event.segments[index + 1][0] - 1 if event.segments and event.segments[index + 1 :] else None
            part = event.data[data_offset:end]
            assert text[text_offset : text_offset + len(part)] == part


@given(streams)
@example(b"event: e\nid: 1\n: hi\nx\ndata: {}\ndata\n\n")
def test_every_line_is_counted_as_one_kind_only(text: bytes) -> None:
    text += b"\n"
    framing = parse(text)
    lines = [line for line in text.removeprefix(b"\xef\xbb\xbf").replace(b"\r", b"\n").split(b"\n") if line]
    data_lines = sum(len(event.segments or [0]) for event in framing.events)
    others = [*framing.comments, *(offset for _, offset in framing.fields), *framing.unknown_lines]
    assert data_lines + len(set(others)) == len(lines)


def test_end_marker_and_empty_data_are_events() -> None:
    framing = parse(b"data: {}\n\ndata:\n\ndata\n\ndata: [DONE]\n\n")
    assert data_of(framing) == [b"{}", b"", b"", b"[DONE]"]
    assert not framing.no_space
    assert not framing.truncated


def test_a_block_without_data_is_no_event() -> None:
    framing = parse(b"event: ping\n\nid: 1\n\n\n\ndata: x\n\n")
    assert framing.events == [Event(b"x", 28, None, None, True)]
    assert framing.fields == [("event", 0), ("id", 13)]


def test_event_field_gives_the_type_of_its_own_event_only() -> None:
    framing = parse(b"event: error\ndata: 1\n\ndata: 2\n\nevent:\ndata: 3\n\n")
    assert [event.type for event in framing.events] == ["error", None, None]


def test_data_of_several_lines_is_joined_and_each_line_keeps_its_place() -> None:
    text = b'data: {"a":\r\ndata:1}\r\n\r\n'
    (event,) = parse(text).events
    assert event == Event(b'{"a":\n1}', 6, [(0, 6), (6, 18)], None, True)
    place = Text.derived(event.data, Text(text), event.segments or []).place
    assert place(0) == (1, 7)
    assert place(6) == (2, 6)


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n", b"\n: bye\n"])
def test_event_without_its_blank_line_is_kept_as_incomplete(end: bytes) -> None:
    framing = parse(b"data: 1\n\ndata: [DONE]" + end)
    assert [(event.data, event.complete) for event in framing.events] == [(b"1", True), (b"[DONE]", False)]
    assert framing.truncated


def test_input_that_ends_inside_a_field_name_is_truncated() -> None:
    framing = parse(b"data: 1\n\ndat")
    assert framing.truncated
    assert framing.events[-1].complete
    assert not framing.unknown_lines
    assert parse(b"data: 1\n\ndat\n").unknown_lines == [9]


def test_comments_fields_and_unknown_lines_are_recorded_with_their_offsets() -> None:
    framing = parse(b': hi\n{"error": 1}\nid: 7\nretry: 5\nDATA: x\n data: y\n\n')
    assert framing.comments == [0]
    assert framing.unknown_lines == [5, 33, 41]
    assert framing.fields == [("id", 18), ("retry", 24)]
    assert not framing.events


def test_each_kind_of_line_ending_is_recorded_with_its_first_offset() -> None:
    assert parse(b"data: 1\n\n").line_endings == {"\n": 7}
    assert parse(b"data: 1\r\n\r\ndata: 2\r\rdata: 3\n\n").line_endings == {"\r\n": 7, "\r": 18, "\n": 27}


def test_data_without_a_space_is_recorded_and_only_one_space_is_removed() -> None:
    framing = parse(b"data:x\n\ndata:  y\n\ndata: z\n\n")
    assert data_of(framing) == [b"x", b" y", b"z"]
    assert framing.no_space == [0]
    assert framing.events[1].offset == 14


def test_byte_order_mark_is_removed_only_at_the_start() -> None:
    framing = parse(b"\xef\xbb\xbfdata: 1\n\n")
    assert framing.bom
    assert framing.events[0] == Event(b"1", 9, None, None, True)
    assert parse(b"data: 1\n\n\xef\xbb\xbfdata: 2\n\n").unknown_lines == [9]


def test_character_split_over_two_events_is_bad_utf8_in_both_and_keeps_its_bytes() -> None:
    framing = parse(b"data: \xe6\xbc\n\ndata: \xa2\n\n")
    assert framing.bad_utf8 == [6, 16]
    assert data_of(framing) == [b"\xe6\xbc", b"\xa2"]
    assert not parse("data: 漢\n\n".encode()).bad_utf8


@pytest.mark.parametrize("unit", [b"\r", b"\n", b"\r\n", b":", b"\xff", b"data:\n", b"x\r"])
def test_parsing_repeated_units_takes_linear_time(unit: bytes) -> None:
    framing = parse(unit * 50_000)  # a quadratic parser takes minutes here
    assert len(framing.events) <= 1


@given(
    st.lists(st.sampled_from([b"{}", b'{"a": 1}', b"[DONE]", b"x"])),
    st.lists(st.booleans()),
    st.sampled_from(["\n", "\r\n"]),
)
@example([b"{}", b"x", b"{}", b"[DONE]"], [False, True, False, False], "\n")
@example([b"{}", b"{}", b"{}"], [True, False, True], "\r\n")
def test_separating_gives_the_data_and_places_of_the_stream_that_has_the_blank_lines(
    data: list[bytes], is_separated: list[bool], line_end: str
) -> None:
    ends = [line_end.encode() * (1 + separated) for separated in (*is_separated, *[True] * len(data))][: len(data)]
    text = b"".join(b"data: %b%b" % pair for pair in zip(data, ends, strict=True)) + line_end.encode()
    framing = parse(text)
    sse.separate(framing, lambda line: line != b"x")
    joined = parse(text)
    for event in framing.events:
        if event.segments is None:
            assert text[event.offset :].startswith(event.data)
    assert b"\n".join(data_of(framing)) == b"\n".join(data_of(joined))
    apart = [number for number, event in enumerate(joined.events) if b"x" not in event.data.split(b"\n")]
    lines_apart = sum(len(joined.events[number].data.split(b"\n")) for number in apart)
    assert len(framing.events) == lines_apart + len(joined.events) - len(apart)
    assert len(framing.unseparated) == lines_apart - len(apart)
    is_last_apart = framing.unseparated[-1:] == [len(framing.events) - 1]
    assert framing.truncated == framing.events.incomplete == (joined.events.incomplete and not is_last_apart)


def test_an_event_that_is_not_complete_is_the_last_one_also_if_others_were_separated() -> None:
    framing = parse(b"data: {}\ndata: {}\n\ndata: {}\n")
    sse.separate(framing, lambda line: True)
    assert [event.complete for event in framing.events] == [True, True, False]


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_the_last_of_several_events_without_blank_lines_is_as_complete_as_the_others(end: bytes) -> None:
    framing = parse(b"data: {}\n\ndata: {}\ndata: {}" + end)
    sse.separate(framing, lambda line: True)
    assert [event.complete for event in framing.events] == [True, True, True]
    assert not framing.truncated


def test_the_name_of_a_field_at_the_end_is_cut_off_also_behind_events_without_blank_lines() -> None:
    framing = parse(b"data: {}\ndata: {}\ndat")
    sse.separate(framing, lambda line: True)
    assert framing.truncated


@pytest.mark.parametrize(("last", "is_complete"), [(b"{}", True), (b'{"a"', False)])
def test_the_last_of_several_events_on_one_line_is_complete_if_it_is_whole(last: bytes, is_complete: bool) -> None:
    framing = parse(b"data: {}data: {}data: " + last)
    assert sse.separate_joined(framing, lambda part: part == b"{}")
    assert [event.complete for event in framing.events] == [True, True, is_complete]


def test_data_of_which_a_line_is_no_event_stay_one_event() -> None:
    framing = parse(b'data: {"a":\ndata: 1}\n\ndata: {}\ndata: {}\n\n')
    sse.separate(framing, lambda line: line == b"{}")
    assert data_of(framing) == [b'{"a":\n1}', b"{}", b"{}"]
    assert framing.unseparated == [2]
    assert [event.offset for event in framing.events] == [6, 28, 37]


@given(st.lists(st.lists(st.sampled_from([b"{}", b'{"a":"b"}', b"[DONE]"]), min_size=1), min_size=1), st.booleans())
def test_whole_events_on_one_line_are_events_of_their_own(drawn_lines: list[list[bytes]], is_spaced: bool) -> None:
    lines = [[*(one for one in line[:-1] if one != b"[DONE]"), line[-1]] for line in drawn_lines]
    text = b"".join(b"data: %b\n\n" % (b" data: " if is_spaced else b"data: ").join(line) for line in lines)
    framing = parse(text)
    assert sse.separate_joined(framing, lambda part: part.startswith(b"{")) == any(len(line) > 1 for line in lines)
    assert data_of(framing) == [part for line in lines for part in line]
    assert all(text.startswith(event.data, event.offset) for event in framing.events)
    starts = {sum(map(len, lines[:number])) for number in range(len(lines))}
    assert framing.unseparated == [number for number in range(len(framing.events)) if number not in starts]


def test_a_line_with_what_is_no_event_stays_one_event_and_numbers_found_before_follow() -> None:
    framing = parse(b"data: {}data: {}\n\ndata: {}\ndata: {}\n\ndata: {x}data: {}\n\n")
    sse.separate(framing, lambda part: part == b"{}")
    assert framing.unseparated == [2]
    assert sse.separate_joined(framing, lambda part: part == b"{}")
    assert data_of(framing) == [b"{}", b"{}", b"{}", b"{}", b"{x}data: {}"]
    assert framing.unseparated == [1, 3]
    assert framing.is_unusual


def test_events_joined_on_a_line_are_unusual_and_parts_that_are_no_events_separate_nothing() -> None:
    framing = parse(b"data: {}data: {}\n\n")
    assert framing.ordinary
    assert sse.separate_joined(framing, lambda part: part == b"{}")
    assert framing.is_unusual
    framing = parse(b"data: {}data: {x}data: {}\n\n")
    assert not sse.separate_joined(framing, lambda part: part == b"{}")
    assert data_of(framing) == [b"{}data: {x}data: {}"]


def test_a_carriage_return_ends_a_line_also_between_line_feeds() -> None:
    framing = parse(b"data: a\rdata: b\n\ndata: c\n\n")
    assert data_of(framing) == [b"a\nb", b"c"]
    assert framing.line_endings.keys() == {"\r", "\n"}


@pytest.mark.parametrize(("last", "is_cut"), [("da", True), ("retr", True), ("<html>", False), ("dat a", False)])
def test_last_line_without_an_end_is_cut_off_only_if_the_name_of_a_field_begins_like_it(
    last: str, is_cut: bool
) -> None:
    framing = parse(f"data: {{}}\n\n{last}".encode())
    assert (framing.truncated, bool(framing.unknown_lines)) == (is_cut, not is_cut)
