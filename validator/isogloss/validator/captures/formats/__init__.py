"""The input formats, one module for each.

A module has ``NAME``, ``recognise(capture) -> int`` (0 if the capture is surely not of this format, up to 100) and
``read(capture) -> Iterator[Exchange | Skipped]``.
"""
