"""Sealing: a card token or a PIN crosses Temporal as a JWE that only the worker opens."""

from base64 import urlsafe_b64encode
from typing import Any

from joserfc import jwe, jwk

from .errors import PaymentError
from .types import JSON

# Fields of an order that are sealed, so that only the worker can read them.
SECRET_FIELDS = ("token", "account_verification_code")

MUST_BE_SEALED = "must be sealed: give the client the worker’s public key (PAYMENTS_SEALING_PUBLIC_JWK)"
MUST_BE_TEXT = "must be text: a number, such as 0123, loses its zeros"


def seal(order: JSON, app_id: str, public_jwk: JSON | None) -> JSON:
    """
    The order with its secrets sealed to the worker's public key (PAYMENTS_SEALING_PUBLIC_JWK), each as
    `{"sealed": "<compact JWE>"}`. The seal names app and order, so that it cannot be used with another one. Raises PaymentError
    (InvalidRequest) for a secret that cannot be sealed: it must not leave this process.
    """
    bare = {name: order[name] for name in SECRET_FIELDS if order.get(name) is not None and not is_sealed(order[name])}
    rules = {name: MUST_BE_SEALED if isinstance(secret, str) else MUST_BE_TEXT for name, secret in bare.items()}
    if issues := [{"field": name, "rule": rule} for name, rule in rules.items() if not public_jwk or rule == MUST_BE_TEXT]:
        message = f"Order {order['out_trade_no']} was not sent: {issues[0]['field']} {issues[0]['rule']}"
        raise PaymentError("InvalidRequest", message, {"issues": issues})
    if not public_jwk:
        return order
    header = {
        "alg": "ECDH-ES",
        "enc": "A256GCM",
        "apu": base64url(app_id),
        "apv": base64url(order["out_trade_no"]),
        **({"kid": public_jwk["kid"]} if "kid" in public_jwk else {}),
    }
    key = jwk.import_key(public_jwk)
    return {**order, **{name: {"sealed": jwe.encrypt_compact(dict(header), text, key)} for name, text in bare.items()}}


def is_sealed(secret: Any) -> bool:
    return isinstance(secret, dict) and set(secret) == {"sealed"} and isinstance(secret["sealed"], str)


def base64url(text: str) -> str:
    return urlsafe_b64encode(text.encode()).rstrip(b"=").decode()
