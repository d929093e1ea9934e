"""Rules about the calls of a stream that are not sent as OpenAI sends them."""

NEEDS = ("calls", "unusual fragments")
