"""A benchmark that models of the stub server answer and judge, and what a fair judge says of their answers.

The model is called ``m``, the judge ``j``. Every answer and verdict depends on what is asked alone, so that runs can be
compared however they came about.
"""

import hashlib
import json
import os
import re
import subprocess
import sys

import stub_server as s

TIERS = ("answer_critical", "valuable", "context")
VERDICTS = ("meets", "partially_meets", "missing", "contradicts")
_ANSWER = re.compile(r"<answer-([0-9a-f]{32})>\n(.*)\n</answer-\1>\n", re.DOTALL)
_CHECK = re.compile(r"\n\nCheck:\n(.*?)\n\nGuidance", re.DOTALL)


def questions(n, n_checks=2, **more):
    items = [
        {"id": f"c{at}", "type": "simple", "tier": TIERS[at % 3], "statement": f"Fact {at} holds."}
        for at in range(n_checks)
    ]
    return [
        {"id": f"q{at:03}", "domain": "d", "question": f"What of q{at:03}?", "rubric": {"items": items}} | more
        for at in range(n)
    ]


def write_rows(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def judging(body):
    """Whether the judge is asked, and not the model."""
    return body["model"] == "j"


def text_of(body):
    """What is asked at first, whatever was said since."""
    content = next(message["content"] for message in body["messages"] if message["role"] == "user")
    return content if isinstance(content, str) else content[-1]["text"]


def answer_in(body):
    """The answer that a judge is asked about."""
    return _ANSWER.search(text_of(body))[2]


def check_in(body):
    """The check that a judge is asked about."""
    return _CHECK.findall(text_of(body))[-1]


def answer_to(question):
    return f"An answer to: {question}"


def verdict_on(answer, check):
    return VERDICTS[hashlib.sha256(f"{answer}|{check}".encode()).digest()[0] % 4]


def fair_verdict(body):
    answer = answer_in(body)
    said = verdict_on(answer, check_in(body))
    return s.verdict(said, "" if said == "missing" else answer[:20])


def fair(body, seen):
    """The script of a server at which nothing goes wrong."""
    return fair_verdict(body) if judging(body) else s.completion(answer_to(text_of(body)))


def scores_of(folder):
    return json.loads((folder / "scores.json").read_bytes())


def process(*arguments, **environment):
    """The command as a process of its own, its output in pipes."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    command = [sys.executable, "-m", "gamut_eval", *arguments]
    return subprocess.run(command, capture_output=True, timeout=60, env=kept | environment, check=False)
