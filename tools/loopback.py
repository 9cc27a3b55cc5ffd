"""A small HTTP server on this machine's loopback, which starts and stops at once."""

from __future__ import annotations

import socket
import socketserver
import sys
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class LoopbackServer(ThreadingHTTPServer):
    """A server on a free port of 127.0.0.1, in threads that hold nothing up.

    Args:
        handler: What talks to one connection.
    """

    request_queue_size = 128

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        """Listen; nothing is answered before `start`."""
        self.closing = threading.Event()
        self._open: dict[threading.Thread, socket.socket] = {}
        super().__init__(("127.0.0.1", 0), handler)

    @property
    def address(self) -> str:
        """The address, as `http://127.0.0.1:PORT`."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def start(self) -> None:
        """Serve in a thread of its own."""
        threading.Thread(target=self.serve_forever, args=(0.02,), name="loopback", daemon=True).start()

    def stop(self) -> None:
        """Stop listening, and end the connections that are open."""
        self.closing.set()
        self.shutdown()
        self.server_close()
        for thread, connection in list(self._open.items()):
            with suppress(OSError):  # the client may be quicker
                connection.shutdown(socket.SHUT_RDWR)
            thread.join(1.0)

    def server_bind(self) -> None:
        """Bind without asking the name service who we are, which can take seconds."""
        socketserver.TCPServer.server_bind(self)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection in a thread that is known, so that `stop` can wait for it."""
        thread = threading.Thread(target=self._converse, args=(request, client_address), daemon=True)
        self._open[thread] = request
        thread.start()

    def _converse(self, request: Any, client_address: Any) -> None:
        try:
            self.process_request_thread(request, client_address)
        finally:
            self._open.pop(threading.current_thread(), None)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep quiet about a client that has gone or a run that is over; a fault of our own is shown."""
        if not self.closing.is_set() and not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)
