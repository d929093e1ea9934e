"""Rules about the events of a stream and their framing."""

NEEDS = ("stream",)
ORDINARY = (
    "content type", "dumped", "request", "request for a stream", "response", "status", "stream", "whole request",
)  # fmt: skip
