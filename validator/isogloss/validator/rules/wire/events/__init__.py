"""Rules about the events of a stream and their framing."""

NEEDS = ("stream",)
