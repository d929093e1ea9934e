"""Input formats, one module each.

A module holds ``NAME``, ``recognise(capture) -> int`` (0 for no, up to 100) and
``read(capture) -> Iterator[Exchange | Skipped]``.
"""
