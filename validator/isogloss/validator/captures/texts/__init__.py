"""Find exchanges in text: HTTP messages, lines of JSON, copies of a terminal, and blocks of a page."""
