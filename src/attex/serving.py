"""The page of a run on loopback, with a box for texts that are typed in: what `attex serve` starts."""

import json
import socket
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from attex.data.split import stable_id
from attex.explanation import Explainer
from attex.foundations.errors import UserError
from attex.report.explorer import one_text
from attex.report.serve_page import with_typing

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request

    from attex.finished_run import Run

LOOPBACK = "127.0.0.1"
"""The only address that is listened at: nobody else's machine can ask."""

_NAMES = [LOOPBACK, "localhost"]
_LONGEST = 20_000
"""Letters of a text; the work grows with the square of its length."""
_NAME = "typed in"


@dataclass(frozen=True)
class Question:
    """A text, or a list of its tokens; what is asked of it, if anything; which seeds, if not all."""

    text: str | list[str]
    seeds: list[int] | None = None
    query: str | list[str] | None = None

    @classmethod
    def of(cls, kind: str, body: bytes) -> "Question":
        """Read a question: JSON with a `text`, or its tokens, and perhaps `query` and `seeds`."""
        # Any page may send a form here, and only this one JSON.
        if kind.partition(";")[0].strip() != "application/json":
            raise UserError("expected application/json")
        try:
            asked = json.loads(body)
        except (ValueError, RecursionError):
            asked = None
        fields = asked if isinstance(asked, dict) else {}
        text, query, seeds = (fields.get(name) for name in ("text", "query", "seeds"))
        right = _is_text(text) and (query is None or _is_text(query))
        if not right or not (seeds is None or (isinstance(seeds, list) and _all(int, seeds))):
            raise UserError("expected an object with a text, as such or as a list of tokens")
        assert text is not None
        return cls(text, seeds, query)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and _all(str, value))


def _all(kind: type, values: list[Any]) -> bool:
    return all(isinstance(value, kind) for value in values)


class TextServer:
    """The models of all seeds of a run, loaded once, and what they say of a text as the page has it."""

    def __init__(self, run: "Run", device: str = "cpu") -> None:
        self.run = run
        self.page = with_typing(run.report.read_text(encoding="utf-8"))
        self._explainers = {seed: Explainer(run, seed, device) for seed in run.config["seeds"]}
        # One text at a time: a model that is being asked for gradients is not to be shared.
        self._lock = threading.Lock()
        # The first text takes longer than those that follow: it is not to be the reader's.
        word = [run.vocabulary["words"][-1]]
        asks = next(iter(self._explainers.values())).asks
        self.answer(Question(word, query=word if asks else None))

    def answer(self, question: "Question") -> dict[str, Any]:
        """Read a text with the models of the seeds that are asked for, or of all."""
        text, seeds = question.text, question.seeds
        if sum(map(len, text)) + sum(map(len, question.query or "")) > _LONGEST:
            raise UserError(f"the text has more than {_LONGEST:,} letters")
        asked = [one for seed, one in self._explainers.items() if seeds is None or seed in seeds]
        if not asked:
            raise UserError(f"the run has seeds {', '.join(map(str, self._explainers))}")
        with self._lock:
            document = asked[0].document(text, question.query)
            batch, (tokens, query) = asked[0].batch(document), asked[0].shown(document)
            found = {one.seed: one.explored(batch, len(tokens)) for one in asked}
        return one_text(
            _NAME,
            tokens,
            asked[0].known(tokens),
            found,
            text_id=stable_id(" ".join(tokens)),
            query=query,
            query_known=None if query is None else asked[0].known(query),
        )


def application(server: TextServer) -> "Starlette":
    """Make the web application: the page, the files beside it, and answers to texts."""
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.middleware.trustedhost import TrustedHostMiddleware
    from starlette.responses import HTMLResponse, JSONResponse, Response
    from starlette.routing import Mount, Route
    from starlette.staticfiles import StaticFiles

    async def page(request: "Request") -> "Response":
        return HTMLResponse(server.page)

    async def no_icon(request: "Request") -> "Response":
        return Response(status_code=204)

    async def explain(request: "Request") -> "Response":
        from starlette.concurrency import run_in_threadpool

        try:
            question = Question.of(request.headers.get("content-type", ""), await request.body())
            return JSONResponse(await run_in_threadpool(server.answer, question))
        except UserError as trouble:
            return JSONResponse({"error": str(trouble)}, status_code=400)

    return Starlette(
        routes=[
            Route("/", page),
            Route("/report.html", page),
            Route("/favicon.ico", no_icon),
            Route("/explain", explain, methods=["POST"]),
            Mount("/", StaticFiles(directory=server.run.path)),
        ],
        # A page of another site cannot ask under a name that it has pointed here.
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=_NAMES)],
    )


def serve(server: TextServer, port: int) -> None:
    """Listen until interrupted; port 0 is any that is free."""
    import uvicorn

    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((LOOPBACK, port))
        except OSError:
            raise UserError(f"port {port} is taken: name another with --port, or 0 for any") from None
        address = f"http://{LOOPBACK}:{listening.getsockname()[1]}"
        print(f"serve: open {address} (Ctrl-C ends it)", flush=True)
        config = uvicorn.Config(application(server), log_level="warning")
        uvicorn.Server(config).run(sockets=[listening])


def check_installed() -> None:
    """Raise `UserError` where what serves is not installed."""
    from importlib.util import find_spec

    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise UserError("attex serve needs starlette and uvicorn: pip install 'attex[serve]'")
