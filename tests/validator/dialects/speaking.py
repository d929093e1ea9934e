"""What tests about attribution share: payloads, exchanges with or without a host, and a small world of dialects."""

from __future__ import annotations

import io
import json
from typing import Any

from isogloss import schemas
from isogloss.validator import captures, engines
from isogloss.validator.dialects.model import Dialect
from isogloss.validator.examining.examined import Examined
from isogloss.validator.examining.examiner import Examiner
from isogloss.validator.exchange import Exchange

EXAMINER = Examiner(engines.load())
UUID = "b7b56af0-52a6-483f-a589-948182676a1b"


def completion(**members: Any) -> dict[str, Any]:
    """Return a completion that conforms, with the given properties added or replaced.

    ``message``, ``choice`` and ``more_usage`` are merged into the message, the choice and the usage. A value of `...`
    removes a property of the completion, the choice or the message.
    """
    message = {"role": "assistant", "content": "Ho", "refusal": None} | members.pop("message", {})
    choice = {"index": 0, "message": kept(message), "logprobs": None, "finish_reason": "stop"}
    whole = {
        "id": "chatcmpl-Fake1",
        "object": "chat.completion",
        "created": 1760000000,
        "model": "m",
        "choices": [kept(choice | members.pop("choice", {}))],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7} | members.pop("more_usage", {}),
    }
    return kept(whole | members)


def kept(members: dict[str, Any]) -> dict[str, Any]:
    """Return the properties that are not `...`."""
    return {name: value for name, value in members.items() if value is not ...}


def examined(response: object, host: str | None = None, **record: Any) -> Examined:
    """Examine the exchange of a record with this response, and return the result. A list is the chunks of a stream."""
    body = {"chunks": response} if isinstance(response, list) else {"response": response}
    data = json.dumps(kept({"host": host or ..., **record, **body})).encode()
    [exchange] = captures.read(captures.Capture(io.BytesIO(data), "record.json"))
    assert isinstance(exchange, Exchange)
    return EXAMINER.examine(exchange)


def small_world() -> list[Dialect]:
    """Return dialects of invented speakers. One of them inherits from another, and twenty are alike."""
    answers = {"in": ["completion", "chunk"]}
    alpha = _data(
        "alpha",
        hosts=["api.alpha.example"],
        deviations=[
            {**answers, "at": "alpha_tag", "schema": {"type": "string"}, "seen": [18, 20]},
            {**answers, "at": "usage.alpha_units", "schema": {"type": "integer"}, "seen": [20, 20]},
            {**answers, "at": "usage.alpha_price", "schema": {"type": "number"}, "seen": [10, 20]},
            {**answers, "at": "choices[].message.refusal", "absent": True, "seen": [2, 20]},
        ],
        fingerprints=[
            {**answers, "at": "id", "schema": {"pattern": "^alpha-"}, "seen": [20, 20]},
            {**answers, "at": "model", "schema": {"pattern": "^alpha-"}, "seen": [20, 20]},
        ],
        behaviours=[{"rule": "usage-total-mismatch", "seen": [4, 20]}],
    )
    beta = _data(
        "beta",
        kind="server",
        confidence="source-code",
        deviations=[{**answers, "at": "beta_stats", "schema": {"type": "object"}}],
        fingerprints=[
            {**answers, "at": "id", "schema": {"pattern": "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"}},
            {**answers, "at": "model", "schema": {"pattern": "^beta$"}},
        ],
    )
    gamma = _data(
        "gamma",
        kind="gateway",
        passes_on=["alpha_tag"],
        deviations=[
            {**answers, "at": "alpha_tag", "schema": {"type": "string"}, "seen": [90, 100]},
            {**answers, "at": "gamma_route", "schema": {"type": "string"}, "seen": [100, 100]},
        ],
    )
    delta = _data(
        "delta",
        confidence="official-docs",
        deviations=[{**answers, "at": "delta_note", "schema": {"type": "string"}}],
    )
    sigma = _data(
        "sigma",
        kind="shape",
        confidence="official-docs",
        deviations=[
            {**answers, "at": at, "schema": {"type": "string"}} for at in ("sigma_shape", "usage.sigma", "usage.shape")
        ],
    )
    reference = _data("reference", kind="reference", hosts=["api.reference.example"])
    child = _data("child", inherits=["beta"])
    common = {**answers, "at": "common_tag", "schema": {"type": "string"}}
    for one in (beta, delta, sigma):
        one["deviations"].append({**common, "source": "known"})
    epsilon = _data("epsilon", deviations=[{**common, "seen": [1, 1000]}])
    zeta = _data("zeta", confidence="third-party", deviations=[common])
    eta = _data("eta", confidence="official-sdk", deviations=[common])
    theta = _data("theta", confidence="recorded", deviations=[common])
    iota = _data("iota", deviations=[_tag(f"iota_{number}", 1000, 1000) for number in range(3)])
    frequent = [*(f"k{number}" for number in range(12)), *(f"usage.k{number}" for number in range(6))]
    kappa = _data("kappa", deviations=[*(_tag(at, 1000, 1000) for at in frequent), _tag("usage.weak", 1000, 1000)])
    others = (
        _data(
            f"other-{number}",
            deviations=[
                {**common, "seen": [20, 20]},
                *(_tag(at, 3, 20) for at in frequent),
                _tag("usage.weak", 10, 20),
            ],
            fingerprints=[
                {**answers, "at": at, "schema": {"pattern": f"^other-{number}-"}, "seen": [20, 20]}
                for at in ("id", "model")
            ],
        )
        for number in range(20)
    )
    parents = (alpha, beta, gamma, delta, epsilon, zeta, eta, theta, iota, kappa, sigma, reference, *others)
    whole = [schemas.inherit(one, {}) for one in parents]
    return [Dialect(one) for one in (*whole, schemas.inherit(child, {"beta": whole[1]}))]


def frequent_offender() -> Dialect:
    """Return a dialect that always has a property of its own, and always breaks a rule that no other dialect breaks."""
    broken = {"rule": "finish-reason-without-calls", "seen": [1000, 1000]}
    return Dialect(schemas.inherit(_data("rho", deviations=[_tag("rho_tag", 1000, 1000)], behaviours=[broken]), {}))


def _tag(at: str, shown: int, of: int) -> dict[str, Any]:
    """Return a deviation with counts: a string at this path, in `shown` of `of` answers."""
    return {"in": ["completion", "chunk"], "at": at, "schema": {"type": "string"}, "seen": [shown, of]}


def _data(slug: str, kind: str = "vendor", confidence: str = "recorded", **members: Any) -> dict[str, Any]:
    facts = {
        name: [{**fact, "source": "known"} for fact in members.pop(name, ())]
        for name in ("deviations", "fingerprints", "behaviours")
    }
    source = {"known": {"where": "invented", "date": "2026", "confidence": confidence}}
    return {"slug": slug, "name": slug.title(), "kind": kind, "summary": ".", "sources": source, **facts, **members}
