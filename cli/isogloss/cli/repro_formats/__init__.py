"""Forms of a reproduction besides its file: one module for each form, with ``text(repro) -> str``."""
