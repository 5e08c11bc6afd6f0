"""
The payments of one gateway app, for a merchant's backend in Python. docs/contract.md shows each order, answer and state.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from hashlib import sha256
from typing import Any, NoReturn, TypedDict, TypeVar

from joserfc import jwe, jwk
from temporalio.client import (
    Client,
    WithStartWorkflowOperation,
    WorkflowFailureError,
    WorkflowHandle,
    WorkflowUpdateFailedError,
    WorkflowUpdateRPCTimeoutOrCancelledError,
)
from temporalio.common import WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.converter import WorkflowSerializationContext
from temporalio.envconfig import ClientConfig
from temporalio.exceptions import ApplicationError, WorkflowAlreadyStartedError
from temporalio.service import RPCError, RPCStatusCode

from .codec import ConfigError, data_converter
from .sealing import differing_fields, seal
from .settings import environment

JSON = dict[str, Any]
Answer = TypeVar("Answer")

# Longer than the workflows wait for the gateway, so that they answer first if a worker runs. In seconds.
ANSWER_TIMEOUT = 45
REFUND_TIMEOUT = 75

# A workflow that was just ending took nothing: the same call, a second later, starts another one.
CLOSING_TRIES = 5


class PaymentState(TypedDict):
    """What is known of a payment. `outcome` is None while it is under way; amounts are decimal texts."""

    app_id: str
    out_trade_no: str | None
    trade_no: str | None
    trade_status: str | None
    order_amount: str | None
    order_currency: str | None
    method: str | None
    outcome: str | None
    confirmed_by: str | None
    attention: str | None
    expires_at: str | None
    history: list[JSON]
    previous: JSON | None
    payment_data: JSON | None
    refused_because: JSON | None
    other_trades: list[JSON]


class PaymentError(Exception):
    """
    Why there is no answer. `type` is one of the failures of docs/contract.md: `InvalidRequest` (`details["issues"]` says which
    field and which rule), `NotCreated`, `DifferentRequest`, `DuplicateOrder`, `OverRefund`, … or `NotFound`: Temporal knows
    nothing under the number, and of a refund neither does the gateway. After `PaymentPending` and `RefundPending` the work goes on: ask again with the same request.
    """

    def __init__(self, type: str, message: str, details: JSON | None = None) -> None:
        super().__init__(message)
        self.type = type
        self.details = details or {}


class Payments:
    """Payments of one gateway app. An order's `out_trade_no` is its key: the same order again gets the same answer."""

    def __init__(
        self, client: Client, app_id: str, task_queue: str = "payments", sealing_key: JSON | None = None
    ) -> None:
        self.client = client
        self.app_id = app_id
        self.task_queue = task_queue
        self.sealing_key = sealing_key
        self.accounts = Accounts(self)

    async def pay(self, order: JSON, kind: str = "direct") -> JSON:
        """Starts the payment and returns its payment data, such as `qr_code`. Raises PaymentError."""
        request = seal(order, self.app_id, self.sealing_key) if self.sealing_key else order
        payment = {"kind": kind, "app_id": self.app_id, "request": request}
        id = self._id("payment", order["out_trade_no"])
        return await while_closing(lambda: self._pay(id, payment))

    async def _pay(self, id: str, payment: JSON) -> JSON:
        try:
            return await self._start(id, payment, WorkflowIDReusePolicy.REJECT_DUPLICATE)
        except WorkflowAlreadyStartedError:
            pass
        try:
            return await self._created_before(id, payment)
        except PaymentError as error:
            if error.type not in ("NotCreated", "InvalidRequest") or error.details.get("may_exist"):
                raise
        # There is no order, so its number can be used again.
        return await self._start(id, payment, WorkflowIDReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY)

    async def checkout(self, order: JSON) -> JSON:
        """Creates a page of the gateway, `web_url`, where the buyer chooses how to pay. Raises PaymentError."""
        return await self.pay(order, "checkout")

    async def state(self, out_trade_no: str) -> PaymentState:
        """The payment's state now."""
        state: PaymentState = await answered(self.handle(self._id("payment", out_trade_no)).query("state"))
        return await self._after_end(out_trade_no) or state

    async def _after_end(self, out_trade_no: str) -> PaymentState | None:
        """The payment as it is now, where it has ended and an after-sale follows it: late money, refunds, disputes."""
        try:
            payment: PaymentState | None = (await self.refunds(out_trade_no))["payment"]
            # Without an outcome it is of a run that made no order, and the number may be used again.
            return payment if payment and payment["outcome"] else None
        except PaymentError as error:
            if error.type != "NotFound":
                raise
            return None

    async def outcome(self, out_trade_no: str) -> PaymentState:
        """Waits until the payment ends, which may take days, and returns its final state. Raises PaymentError."""
        state: PaymentState = await answered(self.handle(self._id("payment", out_trade_no)).result())
        return await self._after_end(out_trade_no) or state

    async def cancel(self, out_trade_no: str) -> JSON:
        """Withdraws an order that was certainly not sent. Raises PaymentError: `NotCanceled` where the gateway has it."""
        return await self.update(self._id("payment", out_trade_no), "cancel")

    async def recheck(self, out_trade_no: str) -> JSON:
        """Asks the gateway now and returns the state."""
        return await self.update(self._id("payment", out_trade_no), "recheck")

    async def resolve(self, out_trade_no: str, outcome: str, *, by: str, reason: str) -> JSON:
        """A person decides how the payment ends. Raises PaymentError where it is over."""
        decision = {"outcome": outcome, "by": by, "reason": reason}
        return await self.update(self._id("payment", out_trade_no), "resolve", decision)

    async def refund(self, out_trade_no: str, refund: JSON) -> JSON:
        """Refunds all or a part; `out_request_no` is the key: the same again gets the same answer. Raises PaymentError."""
        id, after_sale = self._id("after-sale", out_trade_no), {"app_id": self.app_id, "out_trade_no": out_trade_no}
        reuse = WorkflowIDReusePolicy.ALLOW_DUPLICATE
        return await while_closing(
            lambda: self.start_with_update("afterSale", id, after_sale, "refund", refund, reuse, REFUND_TIMEOUT)
        )

    async def refunds(self, out_trade_no: str) -> JSON:
        """The after-sale of an order: its refunds, their sums, disputes."""
        state: JSON = await answered(self.handle(self._id("after-sale", out_trade_no)).query("state"))
        return state

    async def banks(self, request: JSON) -> list[JSON]:
        """The banks of a method; an order names one by its `bank_id`. Raises PaymentError."""
        return list((await self._ask("bankList", {"request": request}))["banks"])

    async def installments(self, request: JSON) -> list[JSON]:
        """The ways to pay an amount with a card in installments. Raises PaymentError."""
        return list((await self._ask("installments", {"request": request}))["plans"])

    async def wallet_token(self, request: JSON | None = None) -> str:
        """A client token for a wallet's component in the buyer's browser, sealed on its way. Raises PaymentError."""
        key = jwk.generate_key("EC", "P-256", {"use": "enc"})
        answer = await self._ask("walletToken", {"request": request or {}, "seal_to": key.as_dict(private=False)})
        return jwe.decrypt_compact(answer["sealed"], key).plaintext.decode()

    def handle(self, id: str) -> WorkflowHandle[Any, Any]:
        return self.client.get_workflow_handle(id)

    async def run(self, workflow: str, id: str, input: JSON, reuse: WorkflowIDReusePolicy) -> JSON:
        """Starts a workflow, or finds it, and waits for its result."""
        try:
            await self.client.start_workflow(
                workflow,
                {"app_id": self.app_id, **input},
                id=id,
                task_queue=self.task_queue,
                id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
                id_reuse_policy=reuse,
            )
        except WorkflowAlreadyStartedError:
            pass
        return await answered(self.handle(id).result(), ANSWER_TIMEOUT)

    async def update(self, id: str, name: str, *args: JSON) -> JSON:
        return await answered(self.handle(id).execute_update(name, args=args), ANSWER_TIMEOUT)

    async def start_with_update(
        self,
        workflow: str,
        id: str,
        input: JSON,
        update: str,
        arg: JSON,
        reuse: WorkflowIDReusePolicy,
        timeout: float = ANSWER_TIMEOUT,
    ) -> JSON:
        """One call that starts the workflow, or finds it, and returns the update's answer."""
        start = WithStartWorkflowOperation[Any, Any](
            workflow,
            input,
            id=id,
            task_queue=self.task_queue,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
            id_reuse_policy=reuse,
        )
        call = self.client.execute_update_with_start_workflow(update, arg, start_workflow_operation=start, result_type=dict)
        try:
            return await answered(call, timeout, not_found="Closing")
        except WorkflowAlreadyStartedError:
            # The handle has failed as well, and asyncio logs a failure that nobody takes.
            with suppress(WorkflowAlreadyStartedError):
                await start.workflow_handle()
            raise

    async def _start(self, id: str, payment: JSON, reuse: WorkflowIDReusePolicy) -> JSON:
        return await self.start_with_update("payment", id, payment, "created", payment, reuse)

    async def _ask(self, question: str, input: JSON) -> JSON:
        digest = sha256(json.dumps(input, sort_keys=True).encode()).hexdigest()
        id = f"lookup:{self.app_id}:{question}:{digest}"
        return await self.run(question, id, input, WorkflowIDReusePolicy.ALLOW_DUPLICATE)

    async def _created_before(self, id: str, payment: JSON) -> JSON:
        """The payment data of a payment that has ended. Raises PaymentError if the order was another one."""
        state = await answered(self.handle(id).result())
        before = await self._original(id)
        if fields := [] if before["kind"] == "adopt" else differing_fields(before, payment):
            message = f"This out_trade_no was used before with another request: {', '.join(fields)} differ."
            raise PaymentError("DifferentRequest", message, {"fields": fields})
        if state["payment_data"]:
            return state["payment_data"]
        # A person may have ended it before the gateway had said anything.
        said = None if state["confirmed_by"] == "operator" else state["trade_status"]
        return {"trade_status": said or state["outcome"], **(state["refused_because"] or {})}

    async def _original(self, id: str) -> JSON:
        """The input of the run that made the order. Later runs only handle news of that order."""
        run_id: str | None = None
        while True:
            handle = self.client.get_workflow_handle(id, run_id=run_id)
            first = await anext(aiter(handle.fetch_history_events(page_size=1)))
            payloads = first.workflow_execution_started_event_attributes.input.payloads
            # The SDK passes the payloads' owner to the codec everywhere else, but not for a history.
            reader = WorkflowSerializationContext(self.client.namespace, id)
            [payment] = await self.client.data_converter.with_context(reader).decode(payloads)
            if (previous := payment.get("previous")) is None:
                return dict(payment)
            if previous["order"] is None:
                raise PaymentError("DuplicateOrder", "The order of this number was made elsewhere. Nothing was charged here.")
            run_id = previous["run_id"]

    def _id(self, kind: str, number: str) -> str:
        return f"{kind}:{self.app_id}:{number}"


class Accounts:
    """Virtual accounts (SPEI) of the app."""

    def __init__(self, payments: Payments) -> None:
        self._payments = payments

    async def create(self, key: str, request: JSON) -> JSON:
        """The account of your key: the same key always gets the same account. Raises PaymentError."""
        id = f"create-spei-account:{self._payments.app_id}:{key}"
        reuse = WorkflowIDReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY
        return await self._payments.run("createSpeiAccount", id, {"request": request}, reuse)

    async def get(self, account_id: str) -> JSON:
        """The account's state with its deposits."""
        state: JSON = await answered(self._payments.handle(self._id(account_id)).query("state"))
        return state

    async def cancel(self, account_id: str) -> JSON:
        """Cancels the account and waits for the gateway's word. Raises PaymentError."""
        return await self._payments.update(self._id(account_id), "cancel")

    def _id(self, account_id: str) -> str:
        return f"spei-account:{self._payments.app_id}:{account_id}"


async def while_closing(call: Callable[[], Awaitable[JSON]]) -> JSON:
    """Makes a call that starts its workflow once more where the run that took it was just ending. Raises PaymentError."""
    for _ in range(CLOSING_TRIES - 1):
        try:
            return await call()
        except PaymentError as error:
            if error.type != "Closing":
                raise
        await asyncio.sleep(1)
    return await call()


async def answered(call: Awaitable[Answer], timeout: float | None = None, not_found: str = "NotFound") -> Answer:
    """
    The answer; a failure of the contract, and an answer that does not come, become a PaymentError. `not_found`: what Temporal's own
    NotFound means, which a call that starts its workflow gets only where the run was just ending.
    """
    try:
        return await asyncio.wait_for(call, timeout)
    except (WorkflowFailureError, WorkflowUpdateFailedError) as error:
        fail(error.cause)
    except (WorkflowUpdateRPCTimeoutOrCancelledError, asyncio.TimeoutError):
        raise PaymentError("PaymentPending", "Temporal keeps it; is a worker running? Ask again.") from None
    except RPCError as error:
        if error.status == RPCStatusCode.NOT_FOUND:
            raise PaymentError(not_found, f"Temporal knows nothing under this number: {error.message}") from None
        if error.status != RPCStatusCode.FAILED_PRECONDITION:
            raise
        message = "Temporal keeps the order, but the worker cannot process it; has it the same keys as this process?"
        raise PaymentError("PaymentPending", message) from None


def fail(cause: BaseException) -> NoReturn:
    """Raises a failure of the contract as PaymentError, and every other failure unchanged."""
    if not isinstance(cause, ApplicationError) or cause.type is None:
        raise cause
    details = cause.details[0] if cause.details else {}
    raise PaymentError(cause.type, cause.message, details) from None


async def connect() -> Payments:
    """Connects by the settings, encrypts, and seals where they hold the key. Raises ConfigError where one is missing or wrong."""
    settings = environment()
    if not (app_id := settings.get("GATEWAY_APP_ID")):
        raise ConfigError("Which app? Set GATEWAY_APP_ID, or run payment-gateway dev in this folder first.")
    config = ClientConfig.load_client_connect_config(override_env_vars=settings)
    config.setdefault("target_host", "localhost:7233")
    client = await Client.connect(**config, data_converter=data_converter(settings))
    sealing = settings.get("PAYMENTS_SEALING_PUBLIC_JWK")
    queue = settings.get("PAYMENTS_TASK_QUEUE") or "payments"
    return Payments(client, app_id, queue, json.loads(sealing) if sealing else None)
