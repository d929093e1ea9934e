"""Give advice: how to repair a finding, by the page of its rule, and what to do next, in the last line of a report."""

from __future__ import annotations

import re
from collections.abc import Sequence

from isogloss.cli.checking.groups import FindingGroup
from isogloss.cli.checking.summary import Run
from isogloss.cli.elements import skipping
from isogloss.validator import rules
from isogloss.validator.findings import Finding, Severity
from isogloss.validator.quoting import count_of, join_first

__all__ = ["advice", "dialects_known_for", "remedy"]

_MOST_DIALECTS = 3
_SENTENCE_BREAK = r"(?<=\.) (?=[A-Z`])"
_LONGEST_REMEDY = 160


def remedy(finding: Finding) -> tuple[str, str]:
    """Return for whom there is advice how to repair a finding, and the advice: one sentence, or some short ones.

    It is for the author of the server. If the rule is about requests, it is for the user of the client. Both texts are
    empty if the schema finds something in a request: the rules of the schema have advice only about answers.
    """
    group = rules.group_of(finding.rule)
    if group == "schema" and finding.kind == "request":
        return "", ""
    section = rules.page(finding.rule).partition("## What to do\n")[2].partition("\n## ")[0]
    reader = "a client's user" if group == "request" else "a server's author"
    text, *more_sentences = re.split(
        _SENTENCE_BREAK, " ".join(section.partition(f"* As {reader}: ")[2].partition("\n* ")[0].split())
    )
    for sentence in more_sentences:
        if len(text) + len(sentence) >= _LONGEST_REMEDY:
            break
        text += f" {sentence}"
    return (reader, text) if text else ("", "")


def advice(groups: Sequence[FindingGroup], run: Run) -> str:
    """Return how to read on, and which dialect would explain errors and warnings; empty if there is no advice.

    If answers speak several dialects, or that of OpenAI, it is ``auto``. Notes do not count: nobody has asked which
    dialect an answer speaks that has nothing else.
    If answers of a server were not recorded, it is how to get the files that the places name.
    If nothing was checked, return what to do about what was skipped, or that there is no file.
    """
    if not groups:
        if run.cases is None and not (run.files or run.exchanges or run.skipped):
            return skipping.NO_FILE
        return "" if run.exchanges else skipping.advice_on_skipped(run.skipped)
    text = f"next: isogloss explain {groups[0].first.rule}"
    if run.cases is not None and not run.files:
        text += "; --record FOLDER writes the answers that the places are in"
    contexts = [each.context for each in groups if each.first.severity > Severity.NOTE]
    speakers = [one.speaks for one in contexts if one and not set(one.speaks).isdisjoint(one.dialects or ())]
    if not speakers:
        return text
    # With openai, which is the default, nothing is explained, and what OpenAI's old answers have is explained by auto.
    slug = speakers[0][0] if set(speakers) == {speakers[0][:1]} != {("openai",)} else "auto"
    share = "all" if len(speakers) == len(contexts) else f"{len(speakers):,} of the {len(contexts):,} different"
    return f"{text}; --dialect {slug} would explain {share} errors and warnings"


def dialects_known_for(group: FindingGroup) -> str:
    """Name the dialects in which a finding is known.

    Return an empty string if the user chose a dialect that explains findings, for a note that is known in no dialect,
    and for a finding of the user's own rules.
    """
    context, first = group.context, group.first
    if context is None or context.dialects is None or rules.group_of(first.rule) == rules.EXPECTED:
        return ""
    if not context.dialects:
        return "known in no dialect" if first.severity > Severity.NOTE else ""
    spoken = [slug for slug in context.speaks if slug in context.dialects]
    if spoken:
        other_count = len(context.dialects) - len(spoken)
        others = f"; also in {count_of(other_count, 'other dialect')}" if other_count else ""
        relation = (
            f", which {context.speaks[0]} relays here"
            if spoken == [*context.speaks[1:]]
            else ", which this answer speaks"
        )
        return f"known in {' and '.join(spoken)}{relation}{others}"
    names = join_first(context.dialects, _MOST_DIALECTS)
    return f"known in the dialect{'s' if len(context.dialects) > 1 else ''} {names}"
