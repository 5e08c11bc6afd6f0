"""Sealing: a card token or a PIN crosses Temporal as a JWE that only the worker opens."""

from base64 import urlsafe_b64encode
from typing import Any

from joserfc import jwe, jwk

JSON = dict[str, Any]

# Fields of an order that are sealed, so that only the worker can read them.
SECRET_FIELDS = ("token", "account_verification_code")


def seal(order: JSON, app_id: str, public_jwk: JSON) -> JSON:
    """
    The order with its secrets sealed to the worker's public key (PAYMENTS_SEALING_PUBLIC_JWK), each as
    `{"sealed": "<compact JWE>"}`. The seal names app and order, so that it cannot be used with another one.
    """
    header = {
        "alg": "ECDH-ES",
        "enc": "A256GCM",
        "apu": base64url(app_id),
        "apv": base64url(order["out_trade_no"]),
        **({"kid": public_jwk["kid"]} if "kid" in public_jwk else {}),
    }
    key = jwk.import_key(public_jwk)
    bare = {name: order[name] for name in SECRET_FIELDS if isinstance(order.get(name), str)}
    return {**order, **{name: {"sealed": jwe.encrypt_compact(dict(header), text, key)} for name, text in bare.items()}}


def base64url(text: str) -> str:
    return urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


# The same order may be asked for with others of these: they tell how the buyer comes and goes.
VOLATILE_FIELDS = ("ip", "fingerprint", "language_code", "return_url", "notify_url")


def differing_fields(one: JSON, other: JSON) -> list[str]:
    """The fields that make it another order. Secrets are left out: each seal of the same secret is a different text."""
    a, b = ({"kind": payment["kind"], **payment["request"]} for payment in (one, other))
    ignored = {*SECRET_FIELDS, *VOLATILE_FIELDS}
    return sorted(name for name in {**a, **b} if name not in ignored and a.get(name) != b.get(name))
