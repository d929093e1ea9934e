"""Rules about the calls of a completion."""

NEEDS = ("calls",)
