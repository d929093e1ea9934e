"""``isogloss schemas drift``: show where another description of the API differs from the reference."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from isogloss import schemas
from isogloss.cli.configuration.parameters import ExistingPath
from isogloss.cli.drift.decisions import decision
from isogloss.cli.drift.described import Described, UnreadableSource
from isogloss.cli.drift.differences import ASPECTS, Difference, differences
from isogloss.cli.elements.indented_json import print_json
from isogloss.cli.elements.outputs import text_or_json_option
from isogloss.cli.process import exits
from isogloss.cli.process.output import safe_line
from isogloss.validator.quoting import count_of, printable
from isogloss.validator.secrets import mask_text

__all__ = ["command"]


@click.command(name="drift")
@click.option(
    "--openapi",
    type=ExistingPath(),
    help="An OpenAPI document, in JSON or YAML.",
)
@click.option(
    "--sdk",
    metavar="PACKAGE",
    help="The openai package for Python: a wheel, its unpacked folder, or the name of an installed package.",
)
@click.option(
    "--npm",
    type=ExistingPath(folder=True),
    help="The openai package for npm: a tarball as npm pack writes it, or its unpacked folder.",
)
@text_or_json_option
@click.pass_context
def command(ctx: click.Context, openapi: Path | None, sdk: str | None, npm: Path | None, output_format: str) -> None:
    """Compare the schemas with a newer description.

    Print each difference between the reference schemas and another description of the same API, with the decision in
    DECISIONS.md that covers it. The exit code is 1 if no decision covers one of them. Nothing is downloaded, and
    no code of a package runs.
    """
    if sum(one is not None for one in (openapi, sdk, npm)) != 1:
        raise click.UsageError("name one of --openapi, --sdk and --npm")
    try:
        described = _read(openapi, sdk, npm)
        reference = {name: schemas.validation_document(name) for name in schemas.NAMES}
        found = [(_masked(difference), decision(difference)) for difference in differences(reference, described)]
    except UnreadableSource as error:
        raise click.UsageError(safe_line(str(error))) from error
    except RecursionError as error:
        raise click.UsageError("the description is nested too deep to be compared") from error
    missing = [name for name in schemas.NAMES if name not in described.documents]
    if output_format == "json":
        print_json(
            {
                "source": mask_text(described.name),
                "not_described": missing,
                "differences": [
                    {
                        "kind": difference.kind,
                        "at": difference.at,
                        "aspect": difference.aspect,
                        "what": difference.what,
                        "decision": number,
                    }
                    for difference, number in found
                ],
            }
        )
    else:
        _print(mask_text(described.name), missing, found)
    ctx.exit(exits.FAILED if any(number is None for _, number in found) else exits.OK)


def _read(openapi: Path | None, sdk: str | None, npm: Path | None) -> Described:
    from isogloss.cli.drift import openapi as openapi_document
    from isogloss.cli.drift import packages, python_types, typescript

    if openapi is not None:
        return openapi_document.read(openapi)
    if sdk is not None:
        return python_types.read(packages.python_package(sdk))
    assert npm is not None
    return typescript.read(packages.npm_package(npm))


def _masked(difference: Difference) -> Difference:
    """Return a difference without keys. Names of a description may be any text."""
    return replace(difference, at=mask_text(difference.at), what=mask_text(difference.what))


def _print(name: str, missing: list[str], found: list[tuple[Difference, int | None]]) -> None:
    uncovered = [difference for difference, number in found if number is None]
    for difference, number in sorted(found, key=lambda pair: pair[1] is not None):
        status = "not covered" if number is None else f"decision {number}"
        what = f": {difference.what}" if difference.what else ""
        click.echo(printable(f"{status:<12} {difference.kind:<10} {difference.at}  {ASPECTS[difference.aspect]}{what}"))
    if missing:
        click.echo(f"not described there: {', '.join(missing)}")
    click.echo(printable(f"{name}: {count_of(len(found), 'difference')}, {len(uncovered):,} not covered by a decision"))
