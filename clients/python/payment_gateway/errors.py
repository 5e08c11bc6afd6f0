"""The one error of all calls. `type` says what happened, by the same words in every language."""

from typing import Any

from .types import JSON

# Of these the work goes on, or nobody has taken it yet: the same call again, until there is an answer.
PENDING = ("PaymentPending", "RefundPending", "Closing", "NotAnswered")


class PaymentError(Exception):
    """
    Why there is no answer: `type` is one of InvalidRequest, NotCreated, DuplicateOrder, DifferentRequest, PaymentPending,
    NotCanceled, OverRefund, NotRefunded, DuplicateRefund, NotAnswered, NotFound and AccountCanceled. `retryable`: the same call may
    give another answer later. Repeating a call is always safe.
    """

    def __init__(self, type: str, message: str, details: JSON | None = None, because: str | None = None) -> None:
        super().__init__(message)
        self.type = type
        self.details = details or {}
        #: The failure's own type where `type` is PaymentPending, such as RefundPending.
        self.because = because or type

    @property
    def retryable(self) -> bool:
        if self.type == "PaymentPending":
            return True
        said = self.details.get("retryable", self.type == "NotAnswered")
        return said is True and not self.may_exist

    @property
    def issues(self) -> list[JSON]:
        """Of InvalidRequest: each wrong `field` with its `rule`."""
        return list(self.details.get("issues", []))

    @property
    def fields(self) -> list[str]:
        """Of DifferentRequest: in what the requests differ. Of InvalidRequest: the wrong ones."""
        return list(self.details.get("fields") or [issue["field"] for issue in self.issues])

    @property
    def left(self) -> str | None:
        """Of OverRefund: what is left of the payment."""
        return self._text("left")

    @property
    def code(self) -> str | None:
        """The gateway's code, where it gave one."""
        return self._text("code")

    @property
    def sub_code(self) -> str | None:
        """The gateway's code of the cause, where it gave one."""
        return self._text("sub_code")

    @property
    def may_exist(self) -> bool:
        """There may be an order all the same: it is watched, and its number cannot be used again before that is over."""
        return self.details.get("may_exist") is True

    def _text(self, name: str) -> str | None:
        value: Any = self.details.get(name)
        return value if isinstance(value, str) else None


class EventError(Exception):
    """A request that is no event of ours: its signature does not hold, or it is too old. Answer it with 401."""


class ConfigError(ValueError):
    """A setting is missing or wrong. The message says which, and never quotes a secret."""


class TemporalUnreachableError(ConnectionError):
    """Temporal cannot be reached. The message names the address and what to do."""
