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


class Adaptation:
    """How calls to one model of one endpoint are put. ``changes`` says what was changed, for people."""

    def __init__(self, token_limit: TokenLimit = "max_tokens") -> None:
        self.token_limit = token_limit
        self.form: ReplyForm = "json_schema"
        self.dropped: frozenset[str] = frozenset()
        self.changes: list[str] = []
        self._form_works = False

    @property
    def version(self) -> int:
        """Grows with each change: a call that was put together before one may simply be tried again."""
        return len(self.changes)

    def body(self, model: str, call: Call) -> dict[str, Any]:
        """The request."""
        parameters = call.sampling.to_dict()
        if self.token_limit in parameters or "max_tokens" in parameters:
            parameters[self.token_limit] = parameters.pop("max_tokens", parameters.get(self.token_limit))
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
        # Some servers answer a form that they do not know with an internal error.
        if call.schema is not None and (named or (fault.status >= 500 and not self._form_works)):
            return self._step_down()
        return False

    @staticmethod
    def _names(words: str, name: str) -> bool:
        return re.search(rf"(?<![a-z_]){re.escape(name.lower())}(?![a-z_])", words) is not None

    def _drop_or_rename(self, name: str) -> bool:
        if name in ("max_tokens", "max_completion_tokens"):
            if any(change.startswith("most tokens") for change in self.changes):
                return False
            self.token_limit = "max_completion_tokens" if self.token_limit == "max_tokens" else "max_tokens"
            self.changes.append(f"most tokens are sent as {self.token_limit}")
            return True
        if name in self.dropped:
            return False
        self.dropped |= {name}
        self.changes.append(f"{name} is not sent")
        return True

    def _step_down(self) -> bool:
        if self.form == "text":
            return False
        self.form = "json_object" if self.form == "json_schema" else "text"
        self._form_works = False
        how = "response_format json_object is sent" if self.form == "json_object" else "no response_format is sent"
        self.changes.append(f"{how}; the other forms are rejected")
        return True
