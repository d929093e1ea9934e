"""Write requests, answers and streams as logs have them, on lines of their own, and say which of them were joined.

What is asked, and what is answered, is a name: so tests see which request and which answer are a pair.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable

from reading import read_all

from isogloss.validator.exchange import Exchange, Payload, Skipped, Stream

MODEL = "gpt-4o-mini"


def request_of(name: str, **properties: object) -> dict[str, object]:
    """Return a request that asks this name, with these options."""
    return {"model": MODEL, "messages": [{"role": "user", "content": name}], **properties}


def answer_of(name: str, model: str = f"{MODEL}-2024-07-18") -> dict[str, object]:
    """Return a completion that says this name."""
    choice = {"index": 0, "message": {"role": "assistant", "content": name}, "finish_reason": "stop"}
    return {"id": f"chatcmpl-of-{name}", "object": "chat.completion", "created": 1, "model": model, "choices": [choice]}


def chunks_of(name: str) -> list[dict[str, object]]:
    """Return the chunks of a stream that says this name."""
    deltas = [{"role": "assistant", "content": name}, {}]
    return [
        {
            "id": f"chatcmpl-of-{name}",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": MODEL,
            "choices": [{"index": 0, "delta": delta, "finish_reason": "stop" if not delta else None}],
        }
        for delta in deltas
    ]


def read_lines(lines: Iterable[str], name: str = "app.log") -> list[Exchange | Skipped]:
    """Read a capture that has these lines."""
    return read_all("".join(f"{line}\n" for line in lines), name)


def pairs_in(parts: list[Exchange | Skipped]) -> list[tuple[str, str]]:
    """Return of each pair what is asked and what is answered."""
    found = []
    for part in parts:
        if isinstance(part, Exchange) and part.request is not None and part.response is not None:
            assert isinstance(part.request.value, dict)
            found.append((part.request.value["messages"][0]["content"], said_in(part)))
    return found


def said_in(exchange: Exchange) -> str:
    """Return what the answer of an exchange says."""
    body = exchange.response
    value = body.values[0] if isinstance(body, Stream) else body.value if isinstance(body, Payload) else None
    assert isinstance(value, dict)
    if "error" in value:
        return str(value["error"]["message"])
    choice = value["choices"][0]
    return str((choice.get("message") or choice["delta"])["content"])


def logged(label: str, body: object) -> str:
    """Return the line of a log with a body behind its label."""
    return f"2026-11-26 05:00:00,123 DEBUG {label}: {json.dumps(body)}"


WITH_IDS: dict[str, Callable[[str], list[str]]] = {
    "a request id in brackets": lambda name: [
        logged(f"[req_{ord(name)}f3a] request", request_of(name)),
        logged(f"[req_{ord(name)}f3a] response", answer_of(name)),
    ],
    "a request id with its name": lambda name: [
        logged(f"request_id={ord(name)} asked", request_of(name)),
        logged(f"request_id={ord(name)} answered", answer_of(name)),
    ],
    "a column of New API": lambda name: [
        f"[DEBUG] 2026/09/08 - 12:21:10 | 20260908122110{ord(name)}W7UEpdcb | text request body: "
        + json.dumps(request_of(name)),
        f"[DEBUG] 2026/09/08 - 12:21:11 | 20260908122110{ord(name)}W7UEpdcb | upstream response body: "
        + json.dumps(answer_of(name)),
    ],
    "a UUID behind the body": lambda name: [
        f"{logged('request', request_of(name))} 123e4567-e89b-12d3-a456-4266141740{ord(name):x}",
        f"{logged('response', answer_of(name))} 123e4567-e89b-12d3-a456-4266141740{ord(name):x}",
    ],
    "the id of the answer": lambda name: [
        logged(f"Received request chatcmpl-of-{name}-0", request_of(name)),
        logged("Generated response", answer_of(f"{name}-0") | {"choices": answer_of(name)["choices"]}),
    ],
    "records": lambda name: [
        json.dumps({"ts": 1, "type": "request", "request_id": ord(name), "body": request_of(name)}),
        json.dumps({"ts": 2, "type": "response", "request_id": ord(name), "status": 200, "body": answer_of(name)}),
    ],
    "records with bodies as text": lambda name: [
        json.dumps({"msg": "HTTP request", "context": {"traceId": name * 32}, "body": json.dumps(request_of(name))}),
        json.dumps({"msg": "HTTP response", "context": {"traceId": name * 32}, "body": json.dumps(answer_of(name))}),
    ],
    "records of Logbook": lambda name: [
        json.dumps({"type": "request", "correlation": name * 16, "method": "POST", "path": "/v1/chat/completions",
                    "headers": {}, "body": request_of(name)}),
        json.dumps({"type": "response", "correlation": name * 16, "status": 200,
                    "headers": {}, "body": answer_of(name)}),
    ],
}  # fmt: skip
"""Writers of a request and its answer, as two lines with the same id."""
WITHOUT_IDS: dict[str, Callable[[str], list[str]]] = {
    "labels": lambda name: [logged("request", request_of(name)), logged("response", answer_of(name))],
    "lines": lambda name: [json.dumps(request_of(name)), json.dumps(answer_of(name))],
    "streams": lambda name: [
        logged("request", request_of(name, stream=True)),
        *(logged("chunk", chunk) for chunk in chunks_of(name)),
    ],
    "llama.cpp": lambda name: [
        "srv  log_server_r: done request: POST /v1/chat/completions 127.0.0.1 200",
        f"DEBUG srv  log_server_r: request:  {json.dumps(request_of(name))}",
        f"DEBUG srv  log_server_r: response: {json.dumps(answer_of(name))}",
    ],
    "LangChain4j": lambda name: [
        "2026-11-26T05:00:00.123+08:00  INFO 17 --- [app] [exec-2] LoggingHttpClient : HTTP request:",
        "- method: POST",
        f"- body: {json.dumps(request_of(name), indent=2)[:-1]}  }}",
        "",
        "2026-11-26T05:00:01.123+08:00  INFO 17 --- [app] [exec-2] LoggingHttpClient : HTTP response:",
        "- status code: 200",
        f"- body: {json.dumps(answer_of(name))}",
    ],
    "records of Crush": lambda name: [
        json.dumps({"time": "t", "msg": "HTTP Request", "method": "POST", "body": json.dumps(request_of(name))}),
        json.dumps({"time": "t", "msg": "HTTP Response", "status_code": 200, "body": json.dumps(answer_of(name))}),
    ],
    "records of chunks": lambda name: [
        json.dumps({"input": request_of(name, stream=True), "no": 1}),
        *(json.dumps({"data": chunk, "usage": None}) for chunk in chunks_of(name)),
    ],
    "documents of gptel": lambda name: [
        json.dumps({"gptel": "request body", "timestamp": "t"}),
        json.dumps(request_of(name), indent=2),
        json.dumps({"gptel": "response body", "timestamp": "t"}),
        json.dumps(answer_of(name), indent=2),
    ],
}  # fmt: skip
"""Writers of a request and its answer without an id. What they write may have more lines than two."""
