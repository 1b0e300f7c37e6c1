"""Long answers stay on disk: bug report B82."""

import subprocess
import sys

import orjson
import pytest

_RUN = """
import resource, sys
from gamut_eval import evaluate
from gamut_eval.judging.judge import Judge
from gamut_eval.records import Judgement, Verdict

class Quick(Judge):
    name, settings = "quick", {}
    async def judge(self, ask):
        assert len(ask.response.text) == 200_000
        return Judgement(Verdict.MISSING)

with evaluate(sys.argv[1], sys.argv[2], Quick(), run=sys.argv[3]) as run:
    assert run.progress.judged == int(sys.argv[4])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def peak_mb(folder, n):
    """The most memory that a process had which judged n answers of 200,000 characters."""
    folder.mkdir()
    item = {"id": "one", "type": "simple", "tier": "valuable", "statement": "Water is wet."}
    questions = [{"id": f"q{k}", "domain": "d", "question": "What?", "rubric": {"items": [item]}} for k in range(n)]
    (folder / "benchmark.jsonl").write_bytes(b"\n".join(map(orjson.dumps, questions)))
    with open(folder / "answers.jsonl", "wb") as stream:
        for k in range(n):
            text = f"{k:06} ".ljust(200_000, "w")
            row = {"question_id": f"q{k}", "model": "m", "variant": "text_only", "response": text}
            stream.write(orjson.dumps(row) + b"\n")
    arguments = [str(folder / "benchmark.jsonl"), str(folder / "answers.jsonl"), str(folder / "run"), str(n)]
    done = subprocess.run([sys.executable, "-c", _RUN, *arguments], capture_output=True, text=True, check=True)
    return float(done.stdout)


@pytest.mark.skipif(sys.platform == "win32", reason="memory is measured with the resource module")
def test_peak_memory_does_not_grow_with_the_number_of_long_answers(tmp_path):
    few, many = peak_mb(tmp_path / "few", 100), peak_mb(tmp_path / "many", 500)
    assert many - few < 20  # the 400 more answers are 80 MB
