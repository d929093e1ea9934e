"""Rules about the calls of a stream."""

NEEDS = ("calls",)
