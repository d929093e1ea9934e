"""Rules about the log probabilities of a completion."""

NEEDS = ("logprobs",)
