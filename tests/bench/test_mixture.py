"""Test that the generated mixture is as varied as the traffic from whose counts it is generated."""

from __future__ import annotations

import io
import random
from collections import Counter

import mixture
import orjson
import pytest
import workload

from isogloss.validator import captures, engines
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.judging.judge import Judge


def _read(lines: bytes) -> list[Exchange | Skipped]:
    return list(captures.read(captures.Capture(io.BytesIO(lines), "mixture.jsonl")))


def test_the_same_seed_gives_the_same_mixture() -> None:
    assert list(mixture.exchanges(3, 20)) == list(mixture.exchanges(3, 20))
    assert list(mixture.exchanges(3, 20)) != list(mixture.exchanges(4, 20))


def test_every_exchange_is_read_as_traffic() -> None:
    records = [orjson.dumps(record) for record in mixture.exchanges(1, 200, 25)]
    read = list(_read(b"\n".join(records)))
    assert len(read) == 200
    assert not [skipped for skipped in read if isinstance(skipped, Skipped)]


@pytest.mark.thorough
def test_the_mixture_has_many_vendors_forms_and_stream_lengths() -> None:
    records = list(mixture.exchanges(1, 500))
    vendors = Counter(record["vendor"] for record in records)
    assert len(vendors) > 15
    assert vendors["openai"] > 150
    assert sum("request" in record for record in records) > 450
    assert sum("error" in record.get("response", ()) for record in records) > 5
    have_calls = (
        "tool_calls" in str(record.get("response")) or "tool_calls" in record.get("sse", "") for record in records
    )
    assert sum(have_calls) > 50
    lengths = sorted(record["sse"].count("data: ") for record in records if "sse" in record)
    assert len(lengths) > 100
    assert lengths[len(lengths) // 2] < 40
    assert lengths[-1] > 300


@pytest.mark.parametrize("name", workload.BULK)
def test_bulk_payloads_conform(name: str) -> None:
    rng = random.Random(1)
    lines = b"\n".join(orjson.dumps(workload.BULK[name](rng)) for _ in range(3))
    judge = Judge(engines.load())
    exchanges = [exchange for exchange in _read(lines) if isinstance(exchange, Exchange)]
    assert len(exchanges) == 3
    assert not [finding for exchange in exchanges for finding in judge.judge(exchange).findings]
