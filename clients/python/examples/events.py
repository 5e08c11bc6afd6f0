"""Receives events, checks that they are genuine, and prints them: PORT=9000 python events.py"""

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from payment_gateway import ConfigError, EventError, EventReader

try:
    events = EventReader()
except ConfigError as error:
    print(error, file=sys.stderr)
    sys.exit(2)
taken: set[str] = set()  # keep them in your database: an event may come again


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            event = events.read(body, dict(self.headers))
        except EventError:
            return self.answer(401)
        if event["id"] not in taken:
            print(json.dumps(event), flush=True)
        taken.add(event["id"])
        self.answer(204)

    def answer(self, status: int) -> None:
        self.send_response(status)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Standard output is for events."""


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9000"))), Receiver)
print(json.dumps({"port": server.server_address[1]}), flush=True)
server.serve_forever()
