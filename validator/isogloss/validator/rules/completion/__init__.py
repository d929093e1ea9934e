"""Rules about a completion."""

ORDINARY = ("calls", "finish reason of calls", "logprobs", "several choices", "usage")
