"""Payments of a Latin American gateway as durable workflows: `payments = await connect()`, then `await payments.pay(order)`."""

from .codec import EncryptionCodec, PayloadDecryptionError, data_converter
from .errors import ConfigError, EventError, PaymentError, TemporalUnreachableError
from .events import EventReader
from .payments import Accounts, Payments, connect, is_sold
from .sealing import seal
from .types import (
    AfterSaleState,
    Checkout,
    DirectPayment,
    MerchantEvent,
    NewSpeiAccount,
    PaymentData,
    PaymentState,
    RefundAnswer,
    RefundOptions,
    SpeiAccountData,
    SpeiAccountState,
)

__all__ = [
    "Accounts",
    "AfterSaleState",
    "Checkout",
    "ConfigError",
    "DirectPayment",
    "EncryptionCodec",
    "EventError",
    "EventReader",
    "MerchantEvent",
    "NewSpeiAccount",
    "PayloadDecryptionError",
    "PaymentData",
    "PaymentError",
    "PaymentState",
    "Payments",
    "RefundAnswer",
    "RefundOptions",
    "SpeiAccountData",
    "SpeiAccountState",
    "TemporalUnreachableError",
    "connect",
    "data_converter",
    "is_sold",
    "seal",
]
