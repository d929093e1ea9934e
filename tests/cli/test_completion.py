"""Tests of completion scripts, and of suggestions for misspelt names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_its_script(run_process: Callable[..., Any], shell: str) -> None:
    result = run_process("completion", shell)
    assert result.returncode == 0
    assert f"_ISOGLOSS_COMPLETE={shell}_complete" in result.stdout


def test_a_shell_gets_the_options_that_begin_like_the_word(
    run_process: Callable[..., Any], environment: dict[str, str]
) -> None:
    variables = {"_ISOGLOSS_COMPLETE": "bash_complete", "COMP_WORDS": "isogloss check --fo", "COMP_CWORD": "2"}
    assert run_process(env=environment | variables).stdout == "plain,--format\n"


@pytest.mark.parametrize(("arguments", "nearest"), [(("chek",), "'check'"), (("check", "x", "--fromat"), "--format")])
def test_a_misspelt_name_gets_a_suggestion(
    isogloss: Callable[..., Any], arguments: tuple[str, ...], nearest: str
) -> None:
    result = isogloss(*arguments)
    assert result.returncode == 2
    assert nearest in result.stderr


@pytest.mark.parametrize(
    "variables",
    [
        {"_ISOGLOSS_COMPLETE": "bash_complete"},
        {"_ISOGLOSS_COMPLETE": "bash_complete", "COMP_WORDS": "isogloss ch"},
        {"_ISOGLOSS_COMPLETE": "zsh_complete", "COMP_WORDS": "isogloss ch", "COMP_CWORD": "x"},
        {"_ISOGLOSS_COMPLETE": "tcsh_complete", "COMP_WORDS": "isogloss ch", "COMP_CWORD": "1"},
        {"_ISOGLOSS_COMPLETE": "1"},
    ],
)
def test_the_variable_of_a_script_without_its_script_is_an_error_that_says_what_to_do(
    run_process: Callable[..., Any], environment: dict[str, str], variables: dict[str, str]
) -> None:
    result = run_process(env=environment | variables)
    assert (result.returncode, result.stdout) == (2, "")
    assert f"_ISOGLOSS_COMPLETE={variables['_ISOGLOSS_COMPLETE']} is set" in result.stderr
    assert "unset it" in result.stderr
