"""Forms of a reproduction besides its file: one module each, with ``text(repro) -> str``."""
