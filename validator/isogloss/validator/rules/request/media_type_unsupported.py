"""A `data:` URL holds something that OpenAI does not read there.

As an image, OpenAI reads PNG, JPEG, GIF and WebP. As a file, its Chat Completions API reads only PDF; its Responses API
reads more. The rule looks at the media type, and at the first bytes of an image: data that begins like none of the four
is no image. This is a warning, because OpenAI may look at the data of an image and not at its type, and recorders may
replace the data.

## Why it matters
The request is refused (400, "You uploaded an unsupported image.", or "got unsupported MIME type 'text/markdown'"). The
part stays in the history, so that each later request of the conversation is refused, too. Data that is no image is
often the page of an error that a program downloaded in place of the image.

## What to do
* As a server's author: Refuse the part with status 400, and name it and the media types that you read.
* As a client's user: Convert the image to PNG or JPEG before you send it, send text and drawings in SVG as text, and
  sound as `input_audio`. For a PDF, use a part of the type `file`. Look at the status before you send what you
  downloaded.

## Bad
```json
{"type": "image_url", "image_url": {"url": "data:image/svg+xml;base64,PHN2Zy8+"}}
```

## Good
```json
{"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.quoting import quote_name
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Request, obj

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("guide on images and vision, image input requirements: PNG, JPEG, WebP, GIF", "2026"),
        Citation("open-webui/open-webui#30100: an SVG is refused", "2026-09"),
        Citation("recorded refusals of OpenAI: formats: ['png', 'jpeg', 'gif', 'webp']", "2026-11"),
        Citation("paper-qa (PyPI) 2026.8.12, recorded refusals: image/png with data that is text", "2025-10"),
        Citation("trpc-group/trpc-agent-go#1816: unsupported MIME type 'text/markdown' of a file", "2026-05"),
        Citation("maruel/genai, recorded refusals: unsupported MIME type 'audio/aac' of a file", "2026-09"),
        Citation("recorded requests that OpenAI answered: image/png, image/jpeg and application/pdf only", "2026-11"),
    ),
    needs=("media parts",),
)

_READ = {
    "image_url": ("url", frozenset({"image/png", "image/jpeg", "image/jpg", "image/gif", "image/webp"})),
    "file": ("file_data", frozenset({"application/pdf"})),
}
"""For each type of part, the property with the URL, and the media types that OpenAI reads."""

_LONGEST_TYPE = 100

_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{24}")
_IMAGES = ("iVBORw0KGgo", "/9j/", "_9j_", "R0lGOD", "UklGR")
"""How PNG, JPEG, GIF and WebP begin in Base64."""


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for each `data:` URL of an image or a file that OpenAI does not read.

    A URL without a media type is not reported, and no data that is too short for an image, such as a placeholder.
    """
    for message in request.messages:
        for at, part in message.parts:
            kind = part.get("type")
            if not isinstance(kind, str) or kind not in _READ:
                continue
            name, media_types = _READ[kind]
            url = (obj(part.get(kind)) or {}).get(name)
            if not isinstance(url, str) or url[:5].lower() != "data:":
                continue
            parameters = url[5 : 5 + _LONGEST_TYPE].partition(",")[0]
            media_type = parameters.partition(";")[0].strip().lower()
            url_at = (*at, kind, name)
            if "/" not in media_type:
                continue
            if media_type not in media_types:
                word = "an image" if kind == "image_url" else "a file"
                yield Hit(f"{quote_name(media_type)}, which OpenAI does not read as {word}", url_at, url)
            elif kind == "image_url" and parameters.endswith(";base64") and _is_no_image(url, 6 + len(parameters)):
                yield Hit("the data does not begin like a PNG, JPEG, GIF or WebP image", url_at, url)


def _is_no_image(url: str, start: int) -> bool:
    """Return whether the Base64 data that starts there is long enough to tell, and that of no image."""
    return _BASE64.match(url, start) is not None and not url.startswith(_IMAGES, start)
