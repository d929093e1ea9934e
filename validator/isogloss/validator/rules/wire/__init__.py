"""Rules about HTTP, and about bodies as they were sent."""

ORDINARY = (
    "content type", "dumped", "request", "request for a stream", "request without a stream", "response", "status",
    "stream", "whole request",
)  # fmt: skip
