"""What goes in and what comes out, as docs/contract.md has it. Amounts are decimal texts, times ISO 8601 in UTC."""

from typing import Any, Literal

from typing_extensions import NotRequired, TypedDict

JSON = dict[str, Any]


class Identity(TypedDict, total=False):
    """An identity number and its kind, such as CPF, CURP or NIT."""

    number: str
    type: str


class Customer(TypedDict, total=False):
    """The buyer of a direct payment. Which fields are required depends on the method."""

    name: str
    email: str
    phone: str
    identify: Identity


class Address(TypedDict, total=False):
    """The buyer's address."""

    zip_code: str
    state: str
    city: str
    street_number: str
    street: str
    neighborhood: str


class OrderFields(TypedDict):
    """What direct payments and checkouts have in common. `out_trade_no` is the key: one number, at most one charge."""

    out_trade_no: str
    order_currency: str
    order_amount: str
    subject: str
    buyer_id: str
    content: NotRequired[str]
    channel: NotRequired[str]
    return_url: NotRequired[str]
    notify_url: NotRequired[str]
    timeout_express: NotRequired[str]
    cancellation_express: NotRequired[str]


class DirectPayment(OrderFields):
    """An order that is paid by one method. `token` and `account_verification_code` are sealed on their way."""

    method: str
    customer: NotRequired[Customer]
    address: NotRequired[Address]
    bank: NotRequired[str]
    token: NotRequired[str]
    issuer: NotRequired[str]
    installments: NotRequired[int]
    ip: NotRequired[str]
    fingerprint: NotRequired[str]
    language_code: NotRequired[str]
    account_number: NotRequired[str]
    account_verification_code: NotRequired[str]
    region: NotRequired[str]


class Checkout(OrderFields):
    """An order whose buyer chooses the method on the gateway's page."""

    trade_type: Literal["WEB"]
    method: NotRequired[str]
    regions: NotRequired[list[str]]


class RefundedUser(TypedDict, total=False):
    """Whose money goes back. What the payment knows may be left out."""

    identify: Identity
    name: str
    email: str
    phone: str


class BankInfo(TypedDict, total=False):
    """The bank account that the money goes to."""

    bank_id: str
    bank_name: str
    agency: str
    type: str
    number: str


class RefundOptions(TypedDict, total=False):
    """A refund. Without `amount` all that is left goes back; `out_request_no` is its key."""

    amount: str
    out_request_no: str
    refund_reason: str
    user_info: RefundedUser
    bank_info: BankInfo


class AccountCustomer(Customer, total=False):
    """The buyer of a virtual account."""

    buyer_id: str


class NewSpeiAccount(TypedDict):
    """The request for a virtual account."""

    customer: AccountCustomer


class PaymentData(TypedDict):
    """
    What the buyer needs to pay. With `complete` the fields of the method are there, such as `qr_code` for PIX. Without, the payment
    was refused, or the gateway's answer was lost (`recovered`). The gateway may send further fields.
    """

    complete: bool
    recovered: bool
    out_trade_no: NotRequired[str]
    trade_no: NotRequired[str | None]
    trade_status: NotRequired[str]
    pay_url: NotRequired[str]
    web_url: NotRequired[str]
    qr_code: NotRequired[str]
    barcode: NotRequired[str]
    clabe: NotRequired[str]
    reference: NotRequired[str]
    bank_code: NotRequired[str]
    bank_name: NotRequired[str]
    beneficiary_name: NotRequired[str]
    wallet_url: NotRequired[str]
    app_link_url: NotRequired[str]
    provider_owner: NotRequired[str]
    provider_owner_document: NotRequired[str]
    provider_agency: NotRequired[str]
    provider_number: NotRequired[str]
    code: NotRequired[str | None]
    sub_code: NotRequired[str | None]


# `from` is a word of Python's own.
From = TypedDict("From", {"from": str | None})


class Transition(From):
    """One change of a trade's state. One that a person made has `by` and `reason`."""

    time: str
    to: str
    source: str
    by: NotRequired[str]
    reason: NotRequired[str]
    refunded_elsewhere: NotRequired[str]


class OtherTrade(TypedDict):
    """A trade under the order's number that is not this payment's."""

    trade_no: str
    trade_status: str | None
    order_amount: str | None


class Earlier(TypedDict):
    """The run before."""

    run_id: str
    outcome: str | None


class Refusal(TypedDict):
    """Why the gateway refused a payment."""

    code: str | None
    sub_code: str | None


class LatePaymentRefund(TypedDict):
    """The refund of money that came after the payment had ended otherwise."""

    out_request_no: str
    refund_status: str | None
    reason: str | None


class Taken(TypedDict):
    """Who has taken on what waits for a person."""

    by: str
    note: str | None
    time: str


class OtherAmount(TypedDict):
    """What the gateway named where it was not what was ordered."""

    amount: str | None
    currency: str | None


class PaymentInEvent(TypedDict):
    """A payment as an event shows it."""

    app_id: str
    out_trade_no: str | None
    trade_no: str | None
    trade_status: str | None
    order_amount: str | None
    order_currency: str | None
    method: str | None
    outcome: Literal["SUCCESS", "CANCEL", "REFUSED", "EXPIRED"] | None
    confirmed_by: str | None
    attention: str | None
    attention_since: str | None
    taken: Taken | None
    expires_at: str | None
    previous: Earlier | None
    refused_because: Refusal | None
    other_trades: list[OtherTrade]
    late_payment_refund: NotRequired[LatePaymentRefund]
    all_goes_back: NotRequired[bool]
    mismatch: NotRequired[OtherAmount]


class PaymentState(PaymentInEvent):
    """What is known of a payment. `outcome` is None while it is under way."""

    history: list[Transition]
    payment_data: JSON | None


class Decision(TypedDict):
    """Who decided, and why."""

    by: str
    reason: str


class Failure(TypedDict):
    """Why there is no refund, or no order."""

    type: str
    message: str
    details: JSON


class Refund(TypedDict):
    """A refund of an order. `outcome` is None until the gateway has taken it."""

    out_request_no: str
    trade_no: str | None
    attempt: int
    refund_amount: str
    refund_currency: str
    partial: bool
    refund_status: str | None
    outcome: str | None
    confirmed_by: str | None
    attention: str | None
    requested_at: str
    started_at: str | None
    sent_at: str | None
    answer: JSON | None
    failure: Failure | None
    resolved: Decision | None


class BankSaid(TypedDict):
    """The last DISPUTE or CHARGEBACK."""

    trade_status: str
    time: str


class AfterSaleState(TypedDict):
    """What follows the sale of an order: its refunds, their sums, disputes."""

    app_id: str
    out_trade_no: str | None
    trade_no: str | None
    trade_status: str | None
    order_amount: str | None
    order_currency: str | None
    method: str | None
    attention: str | None
    attention_since: str | None
    taken: Taken | None
    refunded_amount: str
    refunding_amount: str
    refunded_elsewhere: str
    ledger_complete: bool
    refunds: list[Refund]
    other_trades: list[OtherTrade]
    claims: list[JSON]
    bank_said: BankSaid | None
    answer_by: str | None
    watched_until: str | None
    history: list[Transition]
    payment: PaymentState | None


class RefundAnswer(TypedDict):
    """The gateway's answer to a refund."""

    recovered: bool
    out_request_no: str
    out_trade_no: NotRequired[str]
    trade_no: NotRequired[str]
    refund_amount: NotRequired[str]
    refund_currency: NotRequired[str]
    refund_status: NotRequired[str]


class SpeiAccountData(TypedDict):
    """A virtual account. `account_number` is its CLABE."""

    account_id: str
    account_number: NotRequired[str]
    provider: NotRequired[str]
    status: NotRequired[str]
    notify_url: NotRequired[str]
    beneficiary_name: NotRequired[str]
    buyer_id: NotRequired[str]


class Deposit(TypedDict):
    """Money that was counted."""

    out_trade_no: str
    trade_no: str
    amount: str
    currency: str
    transferred_at: str | None
    counted_at: str


class SetAsideDeposit(TypedDict):
    """Money that was notified and not counted."""

    out_trade_no: str
    trade_no: str | None
    amount: str | None
    currency: str | None
    transferred_at: str | None
    because: str


class DepositSums(TypedDict):
    """How many deposits, and their exact sums by currency."""

    count: int
    total: dict[str, str]


class Deposits(DepositSums):
    """The deposits of an account: the last ones, the newest first."""

    pending: int
    latest: list[Deposit]
    set_aside: list[SetAsideDeposit]


class SpeiAccountInEvent(TypedDict):
    """A virtual account as an event shows it."""

    app_id: str
    account_id: str
    account: SpeiAccountData | None
    status: str | None
    attention: str | None
    attention_since: str | None
    taken: Taken | None
    deposits: DepositSums


class UnseenDeposit(TypedDict):
    """The deposit that a person has to see."""

    out_trade_no: str
    trade_no: str | None
    amount: str | None
    currency: str | None


class UnseenEntry(TypedDict):
    """Something that a person has to see: of a deposit, or of the account, where `deposit` is None."""

    no: int
    because: str
    deposit: UnseenDeposit | None


class SpeiAccountState(TypedDict):
    """What is known of a virtual account."""

    app_id: str
    account_id: str
    account: SpeiAccountData
    status: str | None
    attention: str | None
    unseen: list[UnseenEntry]
    attention_since: str | None
    taken: Taken | None
    deposits: Deposits


class SpeiAccountQuantityState(TypedDict):
    """How many virtual accounts the app has left to create."""

    app_id: str
    available_quantity: int | None
    low: int | None
    seen: int | None
    checked_at: str | None
    attention: str | None
    attention_since: str | None
    taken: Taken | None


class Bank(TypedDict):
    """A bank of a method; an order names it by its `bank_id`."""

    bank_id: str
    bank_name: NotRequired[str]
    language_code: NotRequired[str]
    channel: NotRequired[str]
    logo: NotRequired[str]
    currency: NotRequired[str]
    min_amount: NotRequired[str]


class InstallmentPlan(TypedDict):
    """A way to pay an amount with a card: `stage` installments."""

    stage: int
    amount_each: NotRequired[str]
    amount: NotRequired[str]
    rate: NotRequired[str]


class SaleInEvent(TypedDict):
    """The refunds of an order as an event shows them, and by when a dispute has to be answered."""

    refunded_amount: str
    refunding_amount: str
    refunded_elsewhere: str
    ledger_complete: bool
    answer_by: str | None
    refunds: list[Refund]


class TransitionEvent(TypedDict):
    """The state of a trade has changed. `after_sale` is there after the sale."""

    id: str
    type: Literal["transition"]
    time: str
    payment: PaymentInEvent
    transition: Transition
    after_sale: NotRequired[SaleInEvent]


class AttentionEvent(TypedDict):
    """A person has to look at a payment, has not for too long (attention.overdue), or need not any more (attention.cleared).

    Or it counts as sold now, or again (sold).
    """

    id: str
    type: Literal["attention", "attention.overdue", "attention.cleared", "sold"]
    time: str
    payment: PaymentInEvent
    after_sale: NotRequired[SaleInEvent]


class RefundEvent(TypedDict):
    """A refund has another outcome than it had. `after_sale` has this refund alone."""

    id: str
    type: Literal["refund"]
    time: str
    payment: PaymentInEvent
    refund: Refund
    after_sale: NotRequired[SaleInEvent]


class FailedEvent(TypedDict):
    """A payment has failed: there is no order, unless `failure` says that there may be one."""

    id: str
    type: Literal["failed"]
    time: str
    payment: PaymentInEvent
    failure: Failure


class DepositEvent(TypedDict):
    """Money came into a virtual account, and was counted."""

    id: str
    type: Literal["deposit"]
    time: str
    account: SpeiAccountInEvent
    deposit: Deposit


class SetAsideEvent(TypedDict):
    """A deposit was notified, and not counted."""

    id: str
    type: Literal["deposit-set-aside"]
    time: str
    account: SpeiAccountInEvent
    set_aside: SetAsideDeposit


class AccountEvent(TypedDict):
    """A virtual account has another status, needs a person (or has for too long, or not any more: overdue and cleared)."""

    id: str
    type: Literal["account-status", "account-attention", "account-attention.overdue", "account-attention.cleared"]
    time: str
    account: SpeiAccountInEvent


class StuckPayment(TypedDict):
    """One of the payments that a sweep found."""

    workflow_id: str
    status: str | None


class Swept(TypedDict):
    """What a sweep found."""

    stuck: int
    under_attention: int
    some: list[StuckPayment]


class SweepEvent(TypedDict):
    """A sweep has found stuck payments."""

    id: str
    type: Literal["stuck-payments"]
    time: str
    sweep: Swept


MerchantEvent = (
    TransitionEvent
    | RefundEvent
    | FailedEvent
    | AttentionEvent
    | DepositEvent
    | SetAsideEvent
    | AccountEvent
    | SweepEvent
)
