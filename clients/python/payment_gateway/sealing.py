"""Sealing: a card token or a PIN crosses Temporal as a JWE that only the worker opens."""

from base64 import urlsafe_b64encode

from joserfc import jwe, jwk

from .types import JSON

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
