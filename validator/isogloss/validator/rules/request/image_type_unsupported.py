"""A `data:` URL of an image has a media type that is no image which OpenAI reads.

OpenAI reads PNG, JPEG, GIF that is not animated, and WebP. This is a warning, because OpenAI may look at the data and
not at the type.

## Why it matters
The request is refused (400, "You uploaded an unsupported image."). The image stays in the history, so that each later
request of the conversation is refused, too.

## What to do
* As a server's author: Refuse the image with status 400 and name the formats that you read.
* As a client's user: Convert the image to PNG or JPEG before you send it, and send a drawing in SVG as text. For a PDF,
  use a part of the type `file`.

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

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.quoting import quote_name
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Request, items, obj

__all__ = ["RULE", "check"]

RULE = Rule(
    name="image-type-unsupported",
    severity=Severity.WARNING,
    summary="A `data:` URL of an image has a media type that is no image which OpenAI reads.",
    since="0.1.0",
    sources=(
        Citation("guide on images and vision, image input requirements: PNG, JPEG, WebP, GIF", "2026"),
        Citation("open-webui/open-webui#30100: an SVG is refused", "2026-09"),
        Citation("recorded refusals of OpenAI: formats: ['png', 'jpeg', 'gif', 'webp']", "2026-11"),
        Citation("recorded requests that OpenAI answered: image/png and image/jpeg only", "2026-11"),
    ),
    needs=("image parts",),
)

_READ = frozenset({"image/png", "image/jpeg", "image/jpg", "image/gif", "image/webp"})
_LONGEST_TYPE = 100


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for each image whose `data:` URL has another media type. One without a type is not reported."""
    for message in request.messages:
        for position, part in items(message.content):
            image = obj(part.get("image_url")) if part.get("type") == "image_url" else None
            url = image.get("url") if image is not None else None
            if not isinstance(url, str) or url[:5].lower() != "data:":
                continue
            media_type = url[5 : 5 + _LONGEST_TYPE].partition(",")[0].partition(";")[0].strip().lower()
            if "/" in media_type and media_type not in _READ:
                at = (*message.at, "content", position, "image_url", "url")
                yield Hit(f"{quote_name(media_type)} is not an image that OpenAI reads", at, url)
