"""Events: signed POSTs that tell what happens to payments and accounts (docs/events.md)."""

import re
from collections.abc import Mapping
from typing import Any, cast

from standardwebhooks import Webhook, WebhookVerificationError

from .errors import ConfigError, EventError
from .settings import environment, setting
from .types import MerchantEvent

SETTING = "PAYMENTS_EVENTS_SECRETS"


class EventReader:
    """
    Reads the requests that the worker posts to PAYMENTS_EVENTS_URL. An event may come again: take each `id` once.

        event = EventReader().read(request.body, request.headers)
    """

    def __init__(self, secrets: str | None = None) -> None:
        """`secrets`: by default the setting PAYMENTS_EVENTS_SECRETS, or its file. Raises ConfigError where there is none, or it is wrong."""
        texts = [
            text for text in re.split(r"[\s,]+", setting(environment(), SETTING) if secrets is None else secrets) if text
        ]
        if not texts:
            raise ConfigError(
                f"{SETTING} is not set. It signs the events, and the worker has it; "
                "with npm start it stands in .payments/dev.env."
            )
        try:
            self._webhooks = [Webhook(text) for text in texts]
        except Exception:
            raise ConfigError(f"{SETTING} must be whsec_ and base64, several separated by commas.") from None

    def read(self, body: bytes, headers: Mapping[str, str]) -> MerchantEvent:
        """The event, once its signature and its time are proved; `body` is the request's, byte by byte. Raises EventError."""
        named = {name.lower(): value for name, value in headers.items()}
        refused: Exception | None = None
        for webhook in self._webhooks:
            try:
                event: Any = webhook.verify(body, named)
                return cast(MerchantEvent, event)
            except (WebhookVerificationError, ValueError) as error:  # a ValueError: the signature is no base64
                refused = error
        raise EventError(f"This request is no event of ours: {refused}")
