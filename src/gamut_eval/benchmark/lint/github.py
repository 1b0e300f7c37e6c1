"""Findings as workflow commands, which GitHub shows beside the lines of a pull request.

The form is that of GitHub's "Workflow commands for GitHub Actions" and of ``escapeData`` and
``escapeProperty`` in actions/toolkit, packages/core/src/command.ts.
"""

from __future__ import annotations

from gamut_eval.errors import Finding

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


def workflow_command(finding: Finding) -> str:
    """The finding as one line.

    >>> workflow_command(Finding("vague-words", "50% of what?", "info", file="a,b.yaml", line=3, column=5))
    '::notice file=a%2Cb.yaml,line=3,col=5,title=vague-words::50%25 of what?'
    """
    values = {"file": finding.file, "line": finding.line, "col": finding.column, "title": finding.code}
    properties = ",".join(f"{name}={_property(str(value))}" for name, value in values.items() if value is not None)
    return f"::{_COMMANDS[finding.severity]} {properties}::{_data(finding.message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
