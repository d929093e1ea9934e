"""Completion scripts, and names that were nearly right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_its_script(process: Callable[..., Any], shell: str) -> None:
    done = process("completion", shell)
    assert done.returncode == 0
    assert f"_ISOGLOSS_COMPLETE={shell}_complete" in done.stdout


def test_a_shell_is_given_what_fits(process: Callable[..., Any], environment: dict[str, str]) -> None:
    asked = {"_ISOGLOSS_COMPLETE": "bash_complete", "COMP_WORDS": "isogloss check --fo", "COMP_CWORD": "2"}
    assert process(env=environment | asked).stdout == "plain,--format\n"


@pytest.mark.parametrize(("arguments", "nearest"), [(("chek",), "'check'"), (("check", "x", "--fromat"), "'--format'")])
def test_a_name_that_is_nearly_right_is_told_the_right_one(
    isogloss: Callable[..., Any], arguments: tuple[str, ...], nearest: str
) -> None:
    done = isogloss(*arguments)
    assert done.returncode == 2
    assert nearest in done.stderr
