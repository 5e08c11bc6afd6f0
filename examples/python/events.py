"""Receives events, checks that they are genuine, and prints them: PORT=9000 PAYMENTS_EVENTS_SECRETS=whsec_… python events.py"""

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from standardwebhooks import Webhook, WebhookVerificationError

if not (secret := os.environ.get("PAYMENTS_EVENTS_SECRETS")):
    print(
        "PAYMENTS_EVENTS_SECRETS is not set. It signs the events, and the worker has it; "
        "with npm start it stands in .payments/dev.env.",
        file=sys.stderr,
    )
    sys.exit(2)
webhook = Webhook(secret)
taken: set[str] = set()  # keep them in your database: an event may come again


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            event = webhook.verify(body, dict(self.headers))
        except WebhookVerificationError:
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
