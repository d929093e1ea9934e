"""Offer what tests of attribution share: payloads, exchanges with or without a host, and some invented dialects."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from reading import exchange_in

from isogloss import schemas
from isogloss.validator import engines
from isogloss.validator.dialects.attribution import Attribution
from isogloss.validator.dialects.explainers import AutoExplainer
from isogloss.validator.dialects.model import Dialect, dialects
from isogloss.validator.examining.examined import Examined
from isogloss.validator.examining.examiner import Examiner

EXAMINER = Examiner(engines.load())
KNOWN = list(dialects())
"""All dialects that ship."""
REAL_EXPLAINER = AutoExplainer(KNOWN)
UUID = "b7b56af0-52a6-483f-a589-948182676a1b"
HEX = UUID.replace("-", "")
GEMINI_ID = "phCsauiBD92N1e8P2diriAk"

OPENAI = {"id": "chatcmpl-Ab3dEf6hIj9kLm2nOp5qRs8tUv1wX", "model": "gpt-4o-mini", "system_fingerprint": "fp_3f2b8c1e9a"}
MOCK: dict[str, Any] = {
    "id": "chatcmpl-123",
    "model": "gpt-4o",
    "message": {"refusal": ...},
    "choice": {"logprobs": ...},
}
GROQ = {
    "id": f"chatcmpl-{UUID}", "model": "llama-3.3-70b-versatile", "x_groq": {"id": "req_01"},
    "service_tier": "on_demand", "usage_breakdown": None, "message": {"refusal": ...},
    "more_usage": {"queue_time": 0.1, "prompt_time": 0.1, "completion_time": 0.1, "total_time": 0.3},
}  # fmt: skip


def completion(**properties: Any) -> dict[str, Any]:
    """Return a completion that conforms, with the given properties added or replaced.

    ``message``, ``choice`` and ``more_usage`` are merged into the message, the choice and the usage. A value of `...`
    removes a property of the completion, the choice or the message.
    """
    message = {"role": "assistant", "content": "Ho", "refusal": None} | properties.pop("message", {})
    choice = {"index": 0, "message": without_removed(message), "logprobs": None, "finish_reason": "stop"}
    payload = {
        "id": "chatcmpl-Fake1",
        "object": "chat.completion",
        "created": 1760000000,
        "model": "m",
        "choices": [without_removed(choice | properties.pop("choice", {}))],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7} | properties.pop("more_usage", {}),
    }
    return without_removed(payload | properties)


def without_removed(properties: dict[str, Any]) -> dict[str, Any]:
    """Return the properties that are not `...`."""
    return {name: value for name, value in properties.items() if value is not ...}


def examined(response: object, host: str | None = None, **record: Any) -> Examined:
    """Examine the exchange of a record with this response, and return the result. A list is the chunks of a stream."""
    body = {"chunks": response} if isinstance(response, list) else {"response": response}
    data = json.dumps(without_removed({"host": host or ..., **record, **body})).encode()
    exchange = exchange_in(data, "record.json")
    return EXAMINER.examine(exchange)


def attribution(explainer: AutoExplainer, exchange: Examined) -> Attribution:
    """Return the attribution of an exchange."""
    result = explainer.explain(exchange).attribution
    assert result is not None
    return result


def invented_dialects() -> list[Dialect]:
    """Return invented dialects. One of them inherits from another, and twenty are alike."""
    answers = {"in": ["completion", "chunk"]}
    alpha = _dialect_data(
        "alpha",
        hosts=["api.alpha.example"],
        deviations=[
            {**answers, "at": "alpha_tag", "schema": {"type": "string"}, "seen": [18, 20]},
            {**answers, "at": "usage.alpha_units", "schema": {"type": "integer"}, "seen": [20, 20]},
            {**answers, "at": "usage.alpha_price", "schema": {"type": "number"}, "seen": [10, 20]},
            {**answers, "at": "choices[].message.refusal", "absent": True, "seen": [2, 20]},
        ],
        fingerprints=[
            {**answers, "at": "id", "schema": {"pattern": "^first-"}, "seen": [20, 20]},
            {**answers, "at": "model", "schema": {"pattern": "^alpha-"}, "seen": [20, 20]},
        ],
        behaviours=[{"rule": "usage-total-mismatch", "seen": [4, 20]}],
    )
    beta = _dialect_data(
        "beta",
        kind="server",
        confidence="source-code",
        deviations=[{**answers, "at": "beta_stats", "schema": {"type": "object"}}],
        fingerprints=[
            {**answers, "at": "id", "schema": {"pattern": "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"}},
            {**answers, "at": "model", "schema": {"pattern": "^beta$"}},
        ],
    )
    gamma = _dialect_data(
        "gamma",
        kind="gateway",
        passes_on=["alpha_tag"],
        deviations=[
            {**answers, "at": "alpha_tag", "schema": {"type": "string"}, "seen": [90, 100]},
            {**answers, "at": "gamma_route", "schema": {"type": "string"}, "seen": [100, 100]},
        ],
    )
    delta = _dialect_data(
        "delta",
        confidence="official-docs",
        deviations=[{**answers, "at": "delta_note", "schema": {"type": "string"}}],
    )
    sigma = _dialect_data(
        "sigma",
        kind="shape",
        confidence="official-docs",
        deviations=[
            {**answers, "at": path, "schema": {"type": "string"}}
            for path in ("sigma_shape", "usage.sigma", "usage.shape")
        ],
    )
    reference = _dialect_data("reference", kind="reference", hosts=["api.reference.example"])
    child = _dialect_data("child", inherits=["beta"])
    common = {**answers, "at": "common_tag", "schema": {"type": "string"}}
    for data in (beta, delta, sigma):
        data["deviations"].append({**common, "source": "known"})
    epsilon = _dialect_data("epsilon", deviations=[{**common, "seen": [1, 1000]}])
    zeta = _dialect_data("zeta", confidence="third-party", deviations=[common])
    eta = _dialect_data("eta", confidence="official-sdk", deviations=[common])
    theta = _dialect_data("theta", confidence="recorded", deviations=[common])
    iota = _dialect_data("iota", deviations=[counted_deviation(f"iota_{number}", 1000, 1000) for number in range(3)])
    frequent = [*(f"k{number}" for number in range(12)), *(f"usage.k{number}" for number in range(6))]
    kappa = _dialect_data(
        "kappa",
        deviations=[
            *(counted_deviation(path, 1000, 1000) for path in frequent),
            counted_deviation("usage.weak", 1000, 1000),
        ],
    )
    others = (
        _dialect_data(
            f"other-{number}",
            deviations=[
                {**common, "seen": [20, 20]},
                *(counted_deviation(path, 3, 20) for path in frequent),
                counted_deviation("usage.weak", 10, 20),
            ],
            fingerprints=[
                {**answers, "at": path, "schema": {"pattern": f"^other-{number}-"}, "seen": [20, 20]}
                for path in ("id", "model")
            ],
        )
        for number in range(20)
    )
    parents = (alpha, beta, gamma, delta, epsilon, zeta, eta, theta, iota, kappa, sigma, reference, *others)
    inherited = [schemas.inherit(data, {}) for data in parents]
    return [Dialect(data) for data in (*inherited, schemas.inherit(child, {"beta": inherited[1]}))]


def invented_dialect(slug: str, parents: Sequence[Dialect] = (), **properties: Any) -> Dialect:
    """Return an invented dialect with these properties, which inherits from the parents."""
    data = _dialect_data(slug, inherits=[parent.slug for parent in parents], **properties)
    return Dialect(schemas.inherit(data, {parent.slug: parent.data for parent in parents}))


def dialect_with_deviations(*deviations: dict[str, Any]) -> Dialect:
    """Return a dialect that always has these deviations; nobody counted those whose `seen` is `None`."""
    always = [{"in": ["completion", "chunk"], "seen": [1000, 1000], **one} for one in deviations]
    always = [{name: value for name, value in one.items() if value is not None} for one in always]
    return Dialect(schemas.inherit(_dialect_data("upsilon", deviations=always), {}))


def dialect_that_breaks_a_rule(rule: str = "finish-reason-without-calls") -> Dialect:
    """Return a dialect that always has a property of its own, and always breaks a rule that no other dialect breaks."""
    broken = {"rule": rule, "seen": [1000, 1000]}
    return Dialect(
        schemas.inherit(
            _dialect_data("rho", deviations=[counted_deviation("rho_tag", 1000, 1000)], behaviours=[broken]), {}
        )
    )


def dialect_with_an_unverified_form_of_ids() -> Dialect:
    """Return a dialect with a form of ids that is not verified."""
    ids = {"in": ["completion"], "at": "id", "schema": {"pattern": "^omega-"}}
    return Dialect(schemas.inherit(_dialect_data("omega", confidence="unverified", fingerprints=[ids]), {}))


def dialect_with_a_form_of_models() -> Dialect:
    """Return a dialect that always has some properties that others have at times, and a form of `model` of its own."""
    models = {"in": ["completion"], "at": "model", "schema": {"pattern": "^org/"}, "seen": [1000, 1000]}
    deviations = [counted_deviation(f"k{number}", 1000, 1000) for number in range(12)]
    return Dialect(schemas.inherit(_dialect_data("tau", deviations=deviations, fingerprints=[models]), {}))


def counted_deviation(path: str, shown: int, counted: int) -> dict[str, Any]:
    """Return a deviation with counts: a string at this path, in `shown` of `counted` answers."""
    return {"in": ["completion", "chunk"], "at": path, "schema": {"type": "string"}, "seen": [shown, counted]}


def _dialect_data(slug: str, kind: str = "vendor", confidence: str = "recorded", **properties: Any) -> dict[str, Any]:
    facts = {
        name: [{**fact, "source": "known"} for fact in properties.pop(name, ())]
        for name in ("deviations", "fingerprints", "behaviours")
    }
    source = {"known": {"where": "invented", "date": "2026", "confidence": confidence}}
    return {"slug": slug, "name": slug.title(), "kind": kind, "summary": ".", "sources": source, **facts, **properties}
