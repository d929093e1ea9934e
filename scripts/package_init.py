"""Checks Chat Completions traffic against the OpenAI reference. Programs import from ``isogloss.validator``."""
