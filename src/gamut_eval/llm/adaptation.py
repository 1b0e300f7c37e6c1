"""What an endpoint turns out not to take, remembered for the run.

Endpoints that call themselves OpenAI-compatible differ in the names of parameters and in what they
accept. A rejection that names a parameter is answered by sending it in another form, or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from gamut_eval.llm.call import Call
from gamut_eval.llm.faults import Fault
from gamut_eval.llm.providers import TokenLimit

ReplyForm = Literal["json_schema", "json_object", "text"]
_REJECTED = re.compile(
    r"unsupported|not support|may only|only the default|unrecogni[sz]ed|unknown|not permitted|not allowed|unexpected|"
    r"extra (?:inputs|fields)|invalid|must be|deprecated|does not accept|cannot be|not compatible|incompatible"
)
_OF_FORM = "; the other forms are rejected"


class Adaptation:
    """How calls to one model of one endpoint are put.

    ``changes`` says what was changed, for people; ``version`` grows with each change: a call that was put
    together before one may simply be tried again.
    """

    def __init__(self, token_limit: TokenLimit = "max_tokens") -> None:
        self.token_limit = token_limit
        self.form: ReplyForm = "json_schema"
        self.dropped: frozenset[str] = frozenset()
        self.changes: list[str] = []
        self.version = 0
        self._form_works = False
        self._suspected: ReplyForm | None = None
        self._cleared = False

    def body(self, model: str, call: Call) -> dict[str, Any]:
        """The request."""
        parameters = call.sampling.to_dict()
        if "max_tokens" in parameters:
            parameters[self.token_limit] = parameters.pop("max_tokens")
        body = {name: value for name, value in parameters.items() if name not in self.dropped}
        body |= {"model": model, "messages": call.messages}
        if call.schema is not None and self.form != "text":
            body["response_format"] = self._response_format(call.schema)
        return body

    def _response_format(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        if self.form == "json_object":
            return {"type": "json_object"}
        return {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": schema}}

    def worked(self, call: Call) -> None:
        """A call in this form was answered."""
        if call.schema is not None:
            self._form_works = True

    def learn(self, fault: Fault, call: Call) -> bool:
        """Whether the fault rejects how the call was put, and there is another way, which is then taken."""
        if fault.status not in (400, 404, 415, 422, 500, 501):
            return False
        words = fault.message.lower()
        if fault.status < 500 and _REJECTED.search(words):
            for name in (*call.sampling.to_dict(), "max_completion_tokens"):
                if self._names(words, name) and self._drop_or_rename(name):
                    return True
        named = re.search(r"response[_ ]format|json[_ ]?(?:schema|object|mode)|structured|grammar", words)
        if call.schema is None:
            return False
        if named:
            return self._step_down()
        return fault.status >= 500 and self._suspect_form()

    def _suspect_form(self) -> bool:
        """Some servers answer a form that they do not know with an internal error; others are merely out of order.

        Where no form works, it was not the form: the first one is taken up again, and not suspected any more.
        """
        if self._form_works or self._cleared:
            return False
        if self.form != "text":
            self._suspected = self._suspected or self.form
            return self._step_down()
        self.form, self._cleared = self._suspected or self.form, True
        self.changes = [change for change in self.changes if not change.endswith(_OF_FORM)]
        self.version += 1
        return False

    @staticmethod
    def _names(words: str, name: str) -> bool:
        return re.search(rf"(?<![a-z_]){re.escape(name.lower())}(?![a-z_])", words) is not None

    def _drop_or_rename(self, name: str) -> bool:
        if name in ("max_tokens", "max_completion_tokens"):
            if any(change.startswith("most tokens") for change in self.changes):
                return False
            self.token_limit = "max_completion_tokens" if self.token_limit == "max_tokens" else "max_tokens"
            return self._changed(f"most tokens are sent as {self.token_limit}")
        if name in self.dropped:
            return False
        self.dropped |= {name}
        return self._changed(f"{name} is not sent")

    def _step_down(self) -> bool:
        if self.form == "text":
            return False
        self.form = "json_object" if self.form == "json_schema" else "text"
        self._form_works = False
        how = "response_format json_object is sent" if self.form == "json_object" else "no response_format is sent"
        return self._changed(f"{how}{_OF_FORM}")

    def _changed(self, how: str) -> bool:
        self.changes.append(how)
        self.version += 1
        return True
