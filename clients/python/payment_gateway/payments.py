"""The payments of one gateway app, for a merchant's backend. docs/contract.md says what each call means."""

import json
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from hashlib import sha256
from typing import Any
from uuid import uuid4

from joserfc import jwe, jwk
from temporalio.client import Client
from temporalio.common import WorkflowIDReusePolicy
from temporalio.envconfig import ClientConfig
from temporalio.exceptions import WorkflowAlreadyStartedError

from .codec import data_converter
from .errors import ConfigError, PaymentError, TemporalUnreachableError
from .sealing import seal
from .settings import environment, setting
from .temporal import ANSWER_TIMEOUT, LOOKUP_LIVES, REFUND_TIMEOUT, Temporal, digest, leaves_no_order, no_answer, order_of, shared_update_id, while_closing
from .types import (
    JSON,
    AfterSaleState,
    Bank,
    Checkout,
    DirectPayment,
    InstallmentPlan,
    NewSpeiAccount,
    PaymentData,
    PaymentInEvent,
    PaymentState,
    RefundAnswer,
    RefundOptions,
    SpeiAccountData,
    SpeiAccountQuantityState,
    SpeiAccountState,
)

# What the gateway's answer has for a method, in lower case. Without them it is not complete.
FIELDS_OF_METHOD = {
    "pix": ("qr_code",),
    "boleto": ("barcode",),
    "spei": ("clabe",),
    "depositexpress": ("provider_owner", "provider_owner_document", "provider_agency", "provider_number"),
    "pse": ("pay_url",),
    "efecty": ("pay_url",),
    "oxxo": ("pay_url",),
    "lottery": ("pay_url",),
}

# Fields that are text. Where the gateway sends something else, they count as absent.
TEXTS = PaymentData.__optional_keys__

# By these the money of a sale goes back, all of it.
MONEY_BACK = ("REFUNDED", "DISPUTE", "CHARGEBACK")


class Payments:
    """Payments of one gateway app. An order's `out_trade_no` is its key: the same order again gets the same answer."""

    def __init__(
        self, client: Client, app_id: str, task_queue: str = "payments", sealing_key: JSON | None = None
    ) -> None:
        """`sealing_key`: the worker's public key (PAYMENTS_SEALING_PUBLIC_JWK). Orders with a token or a PIN need it."""
        self.client = client
        self.accounts = Accounts(Temporal(client, app_id, task_queue))
        self._temporal = Temporal(client, app_id, task_queue)
        self._app_id = app_id
        self._sealing_key = sealing_key

    async def pay(self, order: DirectPayment) -> PaymentData:
        """
        Starts the payment and returns what the buyer needs to pay, such as `qr_code`. Raises PaymentError: InvalidRequest and
        NotCreated, DuplicateOrder and DifferentRequest where there is no such order; PaymentPending: it goes on, call again.

            data = await payments.pay({"out_trade_no": "order-1", "method": "PIX", …})
        """
        data = await self._create("direct", seal({**order}, self._app_id, self._sealing_key))
        return complete(data, FIELDS_OF_METHOD.get(order["method"].lower(), ()))

    async def create_checkout(self, order: Checkout) -> PaymentData:
        """Creates a page of the gateway, `web_url`, where the buyer chooses how to pay. Raises PaymentError as `pay` does."""
        return complete(await self._create("checkout", {**order}), ("web_url",))

    async def state(self, out_trade_no: str) -> PaymentState:
        """The payment's state now. Raises PaymentError: NotFound, or PaymentPending where no worker answers."""
        # Temporal forgets a closed payment after its retention, and an after-sale may go on for longer.
        if after := await self._after_end(out_trade_no):
            return after
        state: PaymentState = await self._temporal.state(self._id(out_trade_no))
        return state

    async def outcome(self, out_trade_no: str) -> PaymentState:
        """
        Waits until the payment ends, which may take days, and returns its final state. It waits on while Temporal cannot be reached, as
        long as you do (`asyncio.timeout`). Raises PaymentError.
        """
        return await self._outcome(out_trade_no)

    async def cancel(self, out_trade_no: str) -> PaymentState:
        """Withdraws an order that was certainly not sent. Raises PaymentError: NotCanceled where the gateway may have it."""
        try:
            state: PaymentState = await self._temporal.update(self._id(out_trade_no), "cancel")
            return state
        except PaymentError as error:
            if error.type != "NotFound":
                raise
        try:
            ended = await self._outcome(out_trade_no, ANSWER_TIMEOUT)
        except PaymentError as error:
            # A payment that has failed by itself fails as it did: a new start may send its order.
            if error.details.get("withdrawn") is True:
                return await self.state(out_trade_no)
            raise
        message = f"Order {out_trade_no} cannot be withdrawn: its payment has ended as {ended['outcome']}."
        details = {"outcome": ended["outcome"], "trade_status": ended["trade_status"]}
        raise PaymentError("NotCanceled", message, details)

    async def refund(self, out_trade_no: str, refund: RefundOptions | None = None) -> RefundAnswer:
        """
        Refunds all that is left of a paid order, or the `amount`. `out_request_no` is the key: the same again gets the same answer. Raises
        PaymentError: OverRefund, NotRefunded, DuplicateRefund, NotFound; PaymentPending: it goes on, call again.

            await payments.refund("order-1", {"amount": "30.00", "out_request_no": "r-1"})
        """
        order = {"app_id": self._app_id, "out_trade_no": out_trade_no}
        given = refund or {}
        if not isinstance(given.get("amount", ""), str):
            rule = 'must be a decimal as text, such as "30.00"; leave it out to give back all that is left'
            message = f"The refund of order {out_trade_no} was not sent: amount: {rule}"
            raise PaymentError("InvalidRequest", message, {"issues": [{"field": "amount", "rule": rule}]})
        asked: JSON = {"refund_amount" if name == "amount" else name: value for name, value in given.items()}
        answer: RefundAnswer = await while_closing(
            lambda _: self._temporal.start_with_update(
                "afterSale", self._after_sale(out_trade_no), order, "refund", asked, timeout=REFUND_TIMEOUT
            )
        )
        return answer

    async def refunds(self, out_trade_no: str) -> AfterSaleState:
        """
        The after-sale of an order: its refunds, their sums, disputes; empty where there was nothing of that. Raises PaymentError: NotFound
        where nobody knows the order.
        """
        try:
            state: AfterSaleState = await self._temporal.state(self._after_sale(out_trade_no))
            return state
        except PaymentError as error:
            if error.type != "NotFound":
                raise
        return empty_ledger(await self._temporal.state(self._id(out_trade_no)))

    async def banks(self, request: JSON) -> list[Bank]:
        """The banks of a method; an order names one by its `bank_id`. Raises PaymentError: NotAnswered."""
        return list((await self._ask("bankList", {"request": request}))["banks"])

    async def installments(self, request: JSON) -> list[InstallmentPlan]:
        """The ways to pay an amount with a card in installments. Raises PaymentError: NotAnswered."""
        return list((await self._ask("installments", {"request": request}))["plans"])

    async def wallet_token(self, request: JSON | None = None) -> str:
        """A client token for a wallet's component in the buyer's browser, sealed on its way. Raises PaymentError: NotAnswered."""
        key = jwk.generate_key("EC", "P-256", {"use": "enc"})
        answer = await self._ask("walletToken", {"request": request or {}, "seal_to": key.as_dict(private=False)})
        return (jwe.decrypt_compact(answer["sealed"], key).plaintext or b"").decode()

    async def _create(self, kind: str, request: JSON) -> JSON:
        payment = {"kind": kind, "app_id": self._app_id, "request": request}
        data: JSON = await while_closing(lambda tries: self._start_or_answer(payment, request["out_trade_no"], tries))
        return data

    async def _start_or_answer(self, payment: JSON, out_trade_no: str, tries: int) -> JSON:
        if known := await self._created_now(payment, out_trade_no):
            return known
        try:
            # The proof that no run was before this one spares a look for it.
            first = {**payment, "first_start_id": str(uuid4())}
            return await self._start(first, payment, tries, WorkflowIDReusePolicy.REJECT_DUPLICATE)
        except WorkflowAlreadyStartedError:
            pass
        try:
            return await self._created_before(payment, out_trade_no)
        except PaymentError as error:
            if not leaves_no_order(error):
                raise
        try:
            # There is no order, so its number can be used again.
            return await self._start(payment, payment, tries, WorkflowIDReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY)
        except WorkflowAlreadyStartedError:
            raise no_answer() from None

    async def _start(self, input: JSON, payment: JSON, tries: int, reuse: WorkflowIDReusePolicy) -> JSON:
        id = self._id(payment["request"]["out_trade_no"])
        update_id = shared_update_id({name: payment[name] for name in ("kind", "request")}, tries)
        answer: JSON = await self._temporal.start_with_update(
            "payment", id, input, "created", input, update_id=update_id, reuse=reuse
        )
        return answer

    async def _created_now(self, payment: JSON, out_trade_no: str) -> JSON | None:
        """The payment data of a payment that goes on, where it has them. Raises PaymentError if the order was another one."""
        running = await self._temporal.running(self._id(out_trade_no))
        if not running or not running.state["payment_data"]:
            return None
        # Whether a trade that was adopted without an order is this one, its run knows.
        if not (made := order_of(running.input)):
            return None
        assert_same(payment, made, running.state)
        return dict(running.state["payment_data"])

    async def _created_before(self, payment: JSON, out_trade_no: str) -> JSON:
        """The payment data of a payment that has ended. Raises PaymentError if the order was another one."""
        state = await self._temporal.result(self._id(out_trade_no), ANSWER_TIMEOUT)
        assert_same(payment, await self._temporal.order(self._id(out_trade_no), out_trade_no), state)
        if state["payment_data"]:
            return dict(state["payment_data"])
        # Nothing proves that a trade which was found meanwhile is of this order.
        if state["confirmed_by"] == "operator":
            return {
                "out_trade_no": out_trade_no,
                "trade_no": None,
                "trade_status": state["outcome"],
                "recovered": False,
            }
        said = {"trade_no": state["trade_no"], "trade_status": state["trade_status"] or state["outcome"]}
        return {"out_trade_no": out_trade_no, **said, **(state["refused_because"] or {}), "recovered": False}

    async def _outcome(self, out_trade_no: str, timeout: float | None = None) -> PaymentState:
        try:
            ended: PaymentState = await self._temporal.result(self._id(out_trade_no), timeout)
        except PaymentError as error:
            if error.type == "NotFound" and (after := await self._after_end(out_trade_no)):
                return after
            raise
        # Money may have come after the end. Who has waited for days gets the outcome, also while no worker answers.
        with suppress(PaymentError):
            return await self._after_end(out_trade_no) or ended
        return ended

    async def _after_end(self, out_trade_no: str) -> PaymentState | None:
        """The payment as it is now, where it has ended and an after-sale follows it: late money, refunds, disputes."""
        try:
            payment: PaymentState | None = (await self._temporal.state(self._after_sale(out_trade_no)))["payment"]
            # Without an outcome it is of a run that made no order, and the number may be used again.
            return payment if payment and payment["outcome"] else None
        except PaymentError as error:
            if error.type != "NotFound":
                raise
            return None

    async def _ask(self, question: str, input: JSON) -> Any:
        """Those who ask the same at the same moment share one question."""
        id = f"lookup:{self._app_id}:{question}:{digest(input)}"
        try:
            return await self._temporal.run(question, id, input, WorkflowIDReusePolicy.ALLOW_DUPLICATE, LOOKUP_LIVES)
        except PaymentError as error:
            if error.type != "PaymentPending":
                raise
            raise PaymentError("NotAnswered", str(error), error.details) from None

    def _id(self, out_trade_no: str) -> str:
        return f"payment:{self._app_id}:{out_trade_no}"

    def _after_sale(self, out_trade_no: str) -> str:
        return f"after-sale:{self._app_id}:{out_trade_no}"


class Accounts:
    """Virtual accounts (SPEI) of the app."""

    def __init__(self, temporal: Temporal) -> None:
        self._temporal = temporal

    async def create(self, request: NewSpeiAccount, *, key: str | None = None) -> SpeiAccountData:
        """
        The account of your key as it is now, by default made of the `buyer_id`: the same key always gets the same account. Raises
        PaymentError: InvalidRequest, NotCreated; AccountCanceled: create one under another key; PaymentPending: call again.
        """
        key = key or account_key_of(request)
        id = f"create-spei-account:{self._temporal.app_id}:{key}"
        reuse = WorkflowIDReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY
        made = await self._temporal.run("createSpeiAccount", id, {"request": {**request}}, reuse)
        # The creation may have ended long ago.
        state = await self.get(made["account_id"])
        if state["status"] == "CANCELED":
            message = (
                f"The virtual account {state['account_id']} of the key {key} is canceled: the buyer must not pay into it. "
                "Create another one under another key."
            )
            raise PaymentError("AccountCanceled", message, {"account_id": state["account_id"]})
        return state["account"]

    async def get(self, account_id: str) -> SpeiAccountState:
        """The account's state with its deposits. Raises PaymentError: NotFound."""
        state: SpeiAccountState = await self._temporal.state(self._id(account_id))
        return state

    async def cancel(self, account_id: str) -> SpeiAccountState:
        """Cancels the account and waits for the gateway's word. Raises PaymentError: NotCanceled, PaymentPending."""
        state: SpeiAccountState = await self._temporal.update(self._id(account_id), "cancel")
        return state

    async def recheck(self, account_id: str) -> SpeiAccountState:
        """Asks the gateway for the account now. Raises PaymentError: PaymentPending."""
        state: SpeiAccountState = await self._temporal.update(self._id(account_id), "recheck")
        return state

    async def quantity(self) -> SpeiAccountQuantityState:
        """Asks the gateway how many accounts are left to create. Raises PaymentError: PaymentPending."""
        app = {"app_id": self._temporal.app_id}
        id = f"spei-account-quantity:{self._temporal.app_id}"
        state: SpeiAccountQuantityState = await self._temporal.start_with_update(
            "speiAccountQuantity", id, app, "recheck"
        )
        return state

    def _id(self, account_id: str) -> str:
        return f"spei-account:{self._temporal.app_id}:{account_id}"


def account_key_of(request: NewSpeiAccount) -> str:
    """A buyer's key. It stands in a workflow id, which everybody who reads Temporal sees, so it is a digest of the buyer_id."""
    return f"buyer-{sha256(request['customer'].get('buyer_id', '').encode()).hexdigest()[:32]}"


def complete(data: JSON, needed: tuple[str, ...]) -> PaymentData:
    """The payment data, with whether the fields that its method needs are there."""
    texts = {name: value for name, value in data.items() if name not in TEXTS or value is None or isinstance(value, str)}
    known: Any = {**texts, "complete": all(texts.get(name) not in (None, "") for name in needed)}
    answer: PaymentData = known
    return answer


def empty_ledger(payment: PaymentState) -> AfterSaleState:
    """The ledger of an order that has no after-sale: nothing was refunded, and the payment's state is all that is known."""
    is_paid = payment["outcome"] == "SUCCESS" and "mismatch" not in payment
    return {
        "app_id": payment["app_id"],
        "out_trade_no": payment["out_trade_no"],
        "trade_no": payment["trade_no"],
        "trade_status": payment["trade_status"],
        "order_amount": payment["order_amount"] if is_paid else None,
        "order_currency": payment["order_currency"] if is_paid else None,
        "method": payment["method"],
        "attention": payment["attention"],
        "attention_since": payment["attention_since"],
        "taken": payment["taken"],
        "refunded_amount": "0.00",
        "refunding_amount": "0.00",
        "refunded_elsewhere": "0.00",
        # It may have been refunded elsewhere before it was known here.
        "ledger_complete": payment["attention"] != "refund-elsewhere",
        "refunds": [],
        "other_trades": payment["other_trades"],
        "claims": [],
        "bank_said": None,
        "answer_by": None,
        "watched_until": None,
        "history": [],
        "payment": payment if payment["outcome"] else None,
    }


def is_sold(state: PaymentInEvent) -> bool:
    """
    Whether to deliver: it is paid, nobody has to look first, and neither a refund nor the bank gives all of the money back. Takes a
    payment's state, or the `payment` of an event.
    """
    stands = not state["attention"] and not state.get("all_goes_back")
    return state["outcome"] == "SUCCESS" and stands and state["trade_status"] not in MONEY_BACK


# The same order may be asked for with others of these: they tell how the buyer comes and goes.
VOLATILE_FIELDS = ("ip", "fingerprint", "language_code", "return_url", "notify_url")


def assert_same(asked: JSON, made: JSON, state: JSON) -> None:
    """Raises PaymentError: DifferentRequest, with what is known of the order that was made, if another one is asked for."""
    if fields := differing_fields(made, asked):
        number = asked["request"]["out_trade_no"]
        message = f"Order {number} exists with another request: {', '.join(fields)}. Nothing was sent now."
        known = {name: state[name] for name in ("trade_no", "trade_status", "order_amount", "outcome")}
        raise PaymentError("DifferentRequest", message, {"fields": fields, **known})


def differing_fields(made: JSON, asked: JSON) -> list[str]:
    """The fields that make it another order, such as `customer.name`. Each seal of the same secret is a different text."""
    one, other = (leaves({"kind": order["kind"], **order["request"]}) for order in (made, asked))
    differing = (name for name in {**one, **other} if not is_same(name, one.get(name), other.get(name)))
    return sorted(name for name in differing if name.partition(".")[0] not in VOLATILE_FIELDS)


def is_same(name: str, one: str | None, other: str | None) -> bool:
    if one is None or other is None:
        return False
    if name == "order_currency":
        return one.upper() == other.upper()
    if name != "order_amount":
        return one == other
    try:
        return Decimal(one) == Decimal(other)
    except InvalidOperation:
        return one == other


def leaves(value: Any, path: str = "") -> dict[str, str]:
    if value is None:
        return {}
    if isinstance(value, dict) and set(value) == {"sealed"}:
        return {path: "sealed"}
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if inner is None:
        return {path: str(value)}
    found: dict[str, str] = {}
    for key, part in inner:
        found.update(leaves(part, f"{path}.{key}" if path else str(key)))
    return found


async def connect() -> Payments:
    """
    Connects by the settings, or to the stack that `npm start` runs in this folder. It encrypts, and seals where they hold the key.
    Raises ConfigError where a setting is missing or wrong, and TemporalUnreachableError.
    """
    settings = environment()
    if not (app_id := settings.get("GATEWAY_APP_ID")):
        raise ConfigError("Which app? Set GATEWAY_APP_ID, or run payment-gateway dev in this folder first.")
    converter = data_converter(settings)
    sealing = setting(settings, "PAYMENTS_SEALING_PUBLIC_JWK")
    try:
        config = ClientConfig.load_client_connect_config(override_env_vars=settings)
    except (OSError, RuntimeError) as error:
        raise ConfigError(f"Temporal’s own settings (TEMPORAL_…) cannot be used: {first_line_of(error)}") from None
    address = config.setdefault("target_host", "localhost:7233")
    try:
        client = await Client.connect(**config, data_converter=converter)
    except RuntimeError as error:
        raise TemporalUnreachableError(
            f"Temporal cannot be reached at {address} ({first_line_of(error)}). "
            "Run npx payment-gateway dev in this folder, or set TEMPORAL_ADDRESS."
        ) from error
    queue = settings.get("PAYMENTS_TASK_QUEUE") or "payments"
    return Payments(client, app_id, queue, json.loads(sealing) if sealing else None)


def first_line_of(error: BaseException) -> str:
    """What Temporal's SDK says. The lines after it may quote a key."""
    return next(iter(str(error).splitlines()), type(error).__name__)
