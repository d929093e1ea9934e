"""Look up which clients were seen to break on cases like a finding: evidence from runs of real clients, no prediction.

Evidence on a finding comes from the cases that have the same rule, kind of payload, mode (one document or a stream),
path, and form of the value at that path (:func:`~isogloss.validator.impact.evidence.form_of`). A case whose value has
another form is no evidence. If cases differ in what is said of them, or in whether they have calls, those count that
are like the finding. A case is no evidence either if the client misread its twin, the same answer without the
deviation. The data is not read before evidence is looked up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from isogloss.validator.impact.matching import Matcher

__all__ = ["matcher_of"]


def matcher_of(clients: tuple[str, ...] | None) -> Matcher | None:
    """Return the matcher that looks up what these clients did: all clients for ``()``, and no matcher for ``None``.

    Raises ``KeyError`` for an unknown client.
    """
    if clients is None:
        return None
    from isogloss.validator.impact.evidence import evidence
    from isogloss.validator.impact.matching import Matcher

    return Matcher(evidence(clients))
