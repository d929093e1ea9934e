"""The input formats, one module for each.

A module has ``NAME``, ``recognise(capture) -> int`` (0 if the capture is surely not of this format, up to 100) and
``read(capture) -> Iterator[Exchange | Skipped]``. It stands in a folder inside this one if all its captures begin with
a JSON object or array, or if none does. The modules of a folder are imported for captures that begin like that.
Most captures that are shown to a format are of another one. So a module imports at its head what ``recognise`` needs,
and in ``read`` the readers of texts and structures that it passes the capture to.
"""
