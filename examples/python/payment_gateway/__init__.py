"""Payments with Temporal's Python SDK alone, by docs/contract.md: `payments = await connect()`, then `await payments.pay(order)`."""

from .client import Accounts, PaymentError, Payments, connect
from .codec import ConfigError, EncryptionCodec, PayloadDecryptionError, data_converter
from .sealing import seal

__all__ = [
    "Accounts",
    "ConfigError",
    "EncryptionCodec",
    "PayloadDecryptionError",
    "PaymentError",
    "Payments",
    "connect",
    "data_converter",
    "seal",
]
