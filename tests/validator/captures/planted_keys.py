"""Made-up keys of every documented kind, for tests that put them into captures and look for them in outputs."""

from __future__ import annotations

import re

__all__ = ["SHAPED", "pieces", "tells_in_pieces"]

SHAPED = (
    "sk-proj-Zq8LmN4xR7vT2wY6pK1s",
    "sk-ant-api03-Zq8LmN4xR7vT2wY6pK1s",
    "gsk_Zq8LmN4xR7vT2wY6pK1sB3dF",
    "xai-Zq8LmN4xR7vT2wY6pK1sB3dF",
    "dapi0f1e2d3c4b5a69788796a5b4c3d2e1f0",
    "AIzaSyZq8LmN4xR7vT2wY6pK1sB3dF5gH9jK0",
    "AQ.Ab8Zq8LmN4xR7vT2wY6pK1sB3dF5gH9jK0",
    "Zq8LmN4xR7vT2wY6pK1sB3dF5gH9jK0LZq8LmN4xR7vT2wY6pK1sJQQJ99Zq8LmN4xR7vT2wY6pK1s",
    "vck_Zq8LmN4xR7vT2wY6pK1sB3dF",
    "lsv2_pt_Zq8LmN4xR7vT2wY6pK1sB3dF",
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
"""Keys that are recognised by their form, wherever they stand."""

_SECRETS = ("Zq8LmN4xR7vT2wY6", "ZQ8LMN4XR7VT2WY6", "dXNlcjpacThMbU40eFI3dlQy", "0f1e2d3c4b5a69788796")
"""The parts of the keys that no output may show."""


def pieces(key: str, size: int) -> list[str]:
    """Split a key into pieces of ``size`` characters."""
    return [key[at : at + size] for at in range(0, len(key), size)]


def tells_in_pieces(text: str) -> list[str]:
    """Return the keys whose secret part stands in a text, split into pieces of three characters, in order.

    Of each key, the first four of these pieces are searched for. Up to 400 characters other than ``*`` may stand
    between two of them.
    """
    shown = []
    for key in SHAPED:
        secret_pieces = [
            piece for piece in pieces(key, 3) if len(piece) == 3 and any(piece in secret for secret in _SECRETS)
        ]
        if re.search("[^*]{0,400}?".join(map(re.escape, secret_pieces[:4])), text, re.DOTALL):
            shown.append(key)
    return shown
