"""Runs made of recorded verdicts, and the viewer over them, served as `gamut view` serves it."""

import contextlib
import html
import http.client
import json
import re
import threading
import time
import zlib
from dataclasses import dataclass

import gamut_eval
from gamut_eval.comparing import open_runs
from gamut_eval.web.serving import address, listening, server
from gamut_eval.web.view.app import application
from gamut_eval.web.view.viewing import Viewing

TIERS = ("answer_critical", "valuable", "context")
VERDICTS = ("meets", "partially_meets", "missing", "contradicts")


@dataclass
class Reply:
    status: int
    headers: dict
    data: bytes

    @property
    def text(self):
        return self.data.decode()

    @property
    def words(self):
        """What a reader sees of a page, more or less."""
        return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", self.text)).replace("\u00ad", "").split())

    def links(self, text):
        """Where the links of that text lead."""
        found = re.findall(r'<a [^>]*href="([^"]*)"[^>]*>(.*?)</a>', self.text, re.DOTALL)
        return [html.unescape(to) for to, inside in found if " ".join(re.sub(r"<[^>]*>", "", inside).split()) == text]

    @property
    def listed(self):
        """The ids of a list's questions, in order."""
        return re.findall(r'<span class="about"><bdi class="id">([^<]*)</bdi>', self.text)


class Site:
    def __init__(self, port, viewing):
        self.port, self.viewing = port, viewing
        self.url = f"http://127.0.0.1:{port}"

    def get(self, path, method="GET", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
            reply = connection.getresponse()
            return Reply(reply.status, {k.lower(): v for k, v in reply.getheaders()}, reply.read())
        finally:
            connection.close()

    def until(self, wanted, path="/", within_s=20):
        """The page at a path once it is as wanted."""
        end = time.monotonic() + within_s
        while not wanted(page := self.get(path)):
            assert time.monotonic() < end, page.words
            time.sleep(0.05)
        return page


@contextlib.contextmanager
def viewed(*folders, **options):
    """The viewer over run folders."""
    with (
        Viewing(lambda: {one.name: one.run for one in open_runs(folders)}, **options) as viewing,
        listening(0) as ours,
    ):
        uvicorn = server(application(viewing))
        thread = threading.Thread(target=uvicorn.run, kwargs={"sockets": [ours]}, daemon=True)
        thread.start()
        site = Site(int(address(ours).rstrip("/").rsplit(":", 1)[1]), viewing)
        try:
            site.until(lambda page: page.status == 200 and viewing.look().snapshot.indexed)
            yield site
        finally:
            uvicorn.should_exit = True
            thread.join(10)
        assert not thread.is_alive()


def question(name, n_checks=3, **more):
    checks = [{"id": f"c{at}", "tier": TIERS[at % 3], "text": f"Says fact {at} of {name}."} for at in range(n_checks)]
    return {"id": name, "domain": "food", "question": f"What is {name}?", "rubric": {"checks": checks}} | more


def answer(name, model, text=None, **more):
    row = {"question_id": name, "model": model, "variant": "text_only"}
    if "error" not in more:
        row["response"] = f"{model} says of {name}: fact zero. Then fact one." if text is None else text
    return row | more


def verdict(name, model, check, judge, said, **more):
    row = {"question_id": name, "model": model, "variant": "text_only", "check_id": check, "judge": judge}
    outcome = {"verdict": said} if said else {"error": {"code": "timed_out", "message": "no reply in 60 s"}}
    return row | outcome | more


def write_run(folder, questions, answers, verdicts, **options):
    """A run folder."""
    recorded = folder.parent / f"{folder.name}.verdicts.jsonl"
    recorded.write_text("".join(json.dumps(row) + "\n" for row in verdicts), encoding="utf-8")
    gamut_eval.evaluate(questions, answers, f"recorded:{recorded}", run=folder, **options).close()
    return folder


def said(question_at, model_at, check_at, judge_at):
    """A verdict drawn by all of that; judges differ about the second check alone."""
    drawn = zlib.crc32(f"{question_at}/{model_at}/{check_at}/{judge_at * (check_at == 1)}".encode())
    return VERDICTS[drawn // 7 % 4]


def study(folder, n=6, models=("acme/large", "acme/small"), judges=("x/one", "x/two"), **more):
    """A run of several models and judges, in two domains, and its verdicts by question, model, check and judge."""
    questions = [question(f"q{at}", domain="food" if at % 2 else "animal", **more) for at in range(n)]
    answers = [answer(row["id"], model) for row in questions for model in models]
    given = {
        (row["id"], model, f"c{check}", judge): said(at, place, check, number)
        for at, row in enumerate(questions)
        for place, model in enumerate(models)
        for check in range(3)
        for number, judge in enumerate(judges)
    }
    rows = [
        verdict(*key, outcome, quote="fact zero" if outcome != "missing" else None, rationale=f"Because of {key[2]}.")
        for key, outcome in given.items()
    ]
    return write_run(folder, questions, answers, rows), given
