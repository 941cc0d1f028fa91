"""A small OpenAI-compatible embeddings server, which can be made to hold its answers."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

from tidegraph.models.hashing import HashingEncoder

MODEL = "small"
DIMENSIONS = 48


class EmbeddingsServer:
    """Embeds texts as ``vectors`` does, on a free port of loopback; remembers what it embedded.

    ``hold(count)`` lets so many texts of requests for more than one text pass and then answers none until
    ``release()``: a question asks for one text at a time, a job for many.
    """

    def __init__(self) -> None:
        self.vectors = HashingEncoder(DIMENSIONS)
        self.embedded: list[str] = []
        self._may_pass = 1 << 60
        self._free = threading.Event()
        self._free.set()
        self.held = 0
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def hold(self, count: int) -> None:
        self.held = 0
        self._may_pass = count
        self._free.clear()

    def release(self) -> None:
        self._may_pass = 1 << 60
        self._free.set()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def answer(self, texts: list[str]) -> bytes:
        if len(texts) > 1:
            self._may_pass -= len(texts)
            if self._may_pass < 0:
                self.held += 1
                self._free.wait()
        rows = [
            {"index": place, "embedding": vector.tolist()}
            for place, vector in enumerate(self.vectors.encode(texts))
        ]
        self.embedded += texts
        return json.dumps({"object": "list", "model": MODEL, "data": rows}).encode()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                known = self.path == "/v1/embeddings" and body["model"] == MODEL
                answer = owner.answer(body["input"]) if known else b"{}"
                try:
                    self.send_response(200 if known else 404)
                    self.send_header("content-length", str(len(answer)))
                    self.end_headers()
                    self.wfile.write(answer)
                except OSError:
                    return  # who asked was killed meanwhile

            def log_message(self, format: str, *args: object) -> None:
                return

        return Handler
