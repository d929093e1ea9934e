"""Keys of every documented kind, made up for tests that look for them in what comes out."""

from __future__ import annotations

import re

__all__ = ["SHAPED", "pieces", "tells_in_pieces"]

SHAPED = (
    "sk-proj-Zq8LmN4xR7vT2wY6pK1s",
    "sk-ant-api03-Zq8LmN4xR7vT2wY6pK1s",
    "gsk_Zq8LmN4xR7vT2wY6pK1sB3dF",
    "xai-Zq8LmN4xR7vT2wY6pK1sB3dF",
    "AIzaSyZq8LmN4xR7vT2wY6pK1sB3dF5gH9jK0",
    "AKIAZQ8LMN4XR7VT2WY6",
    "ghp_Zq8LmN4xR7vT2wY6pK1sB3dF5gH9jK0L",
    "github_pat_Zq8LmN4xR7vT2wY6pK1sB3dF5gH9jK0L",
    "hf_Zq8LmN4xR7vT2wY6pK1sB3dF",
    "nvapi-Zq8LmN4xR7vT2wY6pK1sB3dF",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJxOExtTjR4In0.Zq8LmN4xR7vT2wY6pK1s",
    "Bearer Zq8LmN4xR7vT2wY6pK1sB3dF",
    "Basic dXNlcjpacThMbU40eFI3dlQyd1k2",
    "ASIAZQ8LMN4XR7VT2WY6",
    "AKIAZQ8LMN4XR7VT2WY6, Zq8LmN4xR7vT2wY6pK1sB3dF5gH9jK0LaBcDeFgH",
    "aws_secret_access_key=Zq8LmN4xR7vT2wY6pK1sB3dF5gH9jK0LaBcDeFgH",
    "ya29.Zq8LmN4xR7vT2wY6pK1sB3dF",
    "xoxb-123456789012-Zq8LmN4xR7vT2wY6",
    "xapp-1-A0-Zq8LmN4xR7vT2wY6pK1s",
    "https://user:Zq8LmN4xR7vT2wY6@db",
    "Cookie: sid=Zq8LmN4xR7vT2wY6",
)
"""Keys that are known by what they look like, wherever they stand."""

_CORES = ("Zq8LmN4xR7vT2wY6", "ZQ8LMN4XR7VT2WY6", "dXNlcjpacThMbU40eFI3dlQy")
"""What of the keys nobody may see."""


def pieces(key: str, size: int) -> list[str]:
    """Return a key in pieces of ``size`` characters."""
    return [key[at : at + size] for at in range(0, len(key), size)]


def tells_in_pieces(text: str) -> list[str]:
    """Return the keys whose secret part a text shows in pieces of three characters, in their order.

    The first four pieces of each key are looked for. Up to 400 characters other than ``*`` may be between two of them.
    """
    told = []
    for key in SHAPED:
        secret = [piece for piece in pieces(key, 3) if len(piece) == 3 and any(piece in core for core in _CORES)]
        if re.search("[^*]{0,400}?".join(map(re.escape, secret[:4])), text, re.DOTALL):
            told.append(key)
    return told
