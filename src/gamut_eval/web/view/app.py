"""The application: which address is which page, and what becomes of mistakes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from gamut_eval.errors import GamutError, InputError, RunError, UnknownNameError
from gamut_eval.extras import needed
from gamut_eval.web.security import Secured
from gamut_eval.web.view.pages import QUESTIONS, Pages
from gamut_eval.web.view.viewing import Viewing

_STATIC = {
    "report.css": ("gamut_eval.reports.html", "templates", "text/css"),
    "view.css": ("gamut_eval.web.view", "static", "text/css"),
    "view.js": ("gamut_eval.web.view", "static", "text/javascript"),
    "icon.svg": ("gamut_eval.web.view", "static", "image/svg+xml"),
}
"""The files that pages load: the report's own style sheet among them."""
_HTML = "text/html; charset=utf-8"


def application(viewing: Viewing) -> Secured:
    """The viewer as an ASGI application.

    Raises
    ------
    MissingExtraError
        FastAPI is not installed.
    """
    fastapi = needed("fastapi", "gamut view", "view")
    site = _Site(Pages(viewing))
    app = fastapi.FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    routes: dict[str, Callable[[Any], Any]] = {
        "/": site.page(lambda request: site.pages.overview(request.query_params), "/"),
        QUESTIONS: site.page(lambda request: site.pages.questions(request.query_params), QUESTIONS),
        "/checks": site.page(lambda request: site.pages.checks(request.query_params), "/checks"),
        QUESTIONS + "/{question_id}": site.page(site.question, ""),
        QUESTIONS + "/{question_id}/image": site.image,
        "/static/{name}": site.static,
    }
    for path, endpoint in routes.items():
        app.add_route(path, endpoint, methods=["GET"])
    for kind in (GamutError, needed("starlette.exceptions", "gamut view", "view").HTTPException, Exception):
        app.add_exception_handler(kind, site.failed)
    return Secured(app)


class _Site:
    """Pages as responses."""

    def __init__(self, pages: Pages) -> None:
        self.pages = pages
        self._responses = needed("starlette.responses", "gamut view", "view")

    def page(self, render: Callable[[Any], str], path: str) -> Callable[[Any], Any]:
        """What answers a request with a page; an address with empty parameters is first made a shorter one."""

        def answer(request: Any) -> Any:
            params = request.query_params
            if any(not value for _, value in params.multi_items()):
                own = path or f"{QUESTIONS}/{quote(request.path_params['question_id'], safe='')}"
                return self._responses.RedirectResponse(own + self.pages.canonical(params).query, 303)
            return self._response(request, render(request).encode("utf-8", "replace"), _HTML)

        return answer

    def question(self, request: Any) -> str:
        return self.pages.question(request.path_params["question_id"], request.query_params)

    def image(self, request: Any) -> Any:
        try:
            found = self.pages.image(request.path_params["question_id"])
        except InputError as error:
            return self._responses.PlainTextResponse(str(error), 404, {"cache-control": "no-store"})
        return self._response(request, found.data, found.type)

    def static(self, request: Any) -> Any:
        known = _STATIC.get(request.path_params["name"])
        if known is None:
            raise UnknownNameError("file", request.path_params["name"], _STATIC)
        package, folder, kind = known
        data = (files(package) / folder / request.path_params["name"]).read_bytes()
        return self._response(request, data, kind if kind.startswith("image") else f"{kind}; charset=utf-8")

    def _response(self, request: Any, data: bytes, kind: str) -> Any:
        """The data, unless the browser has them already."""
        tag = f'"{hashlib.sha256(data).hexdigest()[:32]}"'
        headers = {"etag": tag, "cache-control": "private, no-cache"}
        if request.headers.get("if-none-match") == tag:
            return self._responses.Response(status_code=304, headers=headers)
        return self._responses.Response(data, headers=headers | {"content-type": kind})

    def failed(self, request: Any, error: Exception) -> Any:
        """A plain page that says what is wrong; of a mistake of ours it says that the terminal has more."""
        status, title, told = _described(error)
        page = self.pages.failure(status, title, told).encode("utf-8", "replace")
        return self._responses.Response(page, status, {"content-type": _HTML, "cache-control": "no-store"})


def _described(error: Exception) -> tuple[int, str, str]:
    if isinstance(error, UnknownNameError) and error.kind in ("question", "file"):
        return 404, "Not found", str(error)
    if isinstance(error, InputError):
        return 400, "This cannot be shown", str(error)
    if isinstance(error, RunError):
        return 500, "The run cannot be read", str(error)
    status = getattr(error, "status_code", 500)
    if status == 404:
        return 404, "Not found", "There is no such page."
    if status < 500:
        return status, "This cannot be shown", str(getattr(error, "detail", ""))
    return 500, "Something went wrong", "This is a mistake of ours; the terminal that gamut view runs in says more."
