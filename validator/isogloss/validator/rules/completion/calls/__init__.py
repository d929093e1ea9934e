"""Rules about the calls of a completion."""

NEEDS = ("calls",)
ORDINARY = ("calls", "finish reason of calls", "logprobs", "several choices", "usage", "usage details")
