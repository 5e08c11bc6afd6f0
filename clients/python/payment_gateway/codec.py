"""
Payload encryption for Temporal's Python SDK: AES-256-GCM, in the format of docs/contract.md. For a client of your own, give
`data_converter(os.environ)` to `Client.connect`.
"""

import json
import re
from base64 import b64decode
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import urandom
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from google.protobuf.message import DecodeError
from temporalio.api.common.v1 import Payload
from temporalio.converter import (
    ActivitySerializationContext,
    DataConverter,
    DefaultFailureConverterWithEncodedAttributes,
    PayloadCodec,
    SerializationContext,
    WithSerializationContext,
    WorkflowSerializationContext,
)
from typing_extensions import Self

from .errors import ConfigError
from .settings import setting

SETTING = "PAYMENTS_ENCRYPTION_KEYS"
MIGRATION = "PAYMENTS_MIGRATION_ACCEPT_CLEAR_TEXT"
CLEAR_TEXT = "PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES"
KEY = r"([A-Za-z0-9_.-]{1,64}):([A-Za-z0-9+/]{43}=)"

ENCODING = b"binary/encrypted"
INFO = b"temporal-payment-gateway payload 1"
SALT_BYTES = 32
KEY_BYTES = 32
NONCE_BYTES = 12


class PayloadDecryptionError(Exception):
    """Clear text, unknown key, another owner, or changed bytes. The message never shows the payload's content."""


def data_converter(environ: Mapping[str, str]) -> DataConverter:
    """
    Encrypts by PAYMENTS_ENCRYPTION_KEYS or PAYMENTS_ENCRYPTION_KEYS_FILE. Raises ConfigError without keys, unless the setting
    that allows clear text is true.
    """
    if not (keys := encryption_keys(environ)):
        if environ.get(CLEAR_TEXT) == "true":
            return DataConverter.default
        raise ConfigError(
            f"{SETTING} is not set: Temporal would store buyers’ data in clear text. "
            f"Make a key with payment-gateway keys new, or set {CLEAR_TEXT}=true to run without one."
        )
    return replace(
        DataConverter.default,
        payload_codec=EncryptionCodec(keys, accepts_clear_text=environ.get(MIGRATION) == "true"),
        failure_converter_class=DefaultFailureConverterWithEncodedAttributes,
    )


def encryption_keys(environ: Mapping[str, str]) -> dict[str, bytes]:
    """
    The keys (32 bytes) by their ids, the one in use first; empty if there are none. Raises ConfigError for unusable settings.
    No message quotes a key.
    """
    text = setting(environ, SETTING)
    if not text and not environ.get(f"{SETTING}_FILE"):
        return {}
    listed = [re.fullmatch(KEY, key) for key in re.split(r"[\s,]+", text) if key]
    keys = {key[1]: b64decode(key[2]) for key in listed if key}
    if not keys or len(keys) < len(listed):
        raise ConfigError(f"{SETTING} must be id:base64 of 32 bytes, several separated by commas, each id once.")
    return keys


class EncryptionCodec(PayloadCodec, WithSerializationContext):
    """
    The first key encrypts, all of them decrypt. Each payload is bound to what the SDK passes to `with_context`: namespace,
    workflow id and, for an activity, its id. A payload of another owner is refused, and so is clear text.
    """

    def __init__(self, keys: Mapping[str, bytes], owner: Sequence[str] = (), accepts_clear_text: bool = False) -> None:
        """`owner`: the namespace; the workflow id, if it is known; for an activity "activity" and its id too."""
        self._keys = keys
        self._owner = tuple(owner)
        self._accepts_clear_text = accepts_clear_text

    def with_context(self, context: SerializationContext) -> Self:
        if not isinstance(context, (WorkflowSerializationContext, ActivitySerializationContext)):
            return self
        known: tuple[str, ...] = (context.namespace, context.workflow_id) if context.workflow_id else (context.namespace,)
        if isinstance(context, ActivitySerializationContext):
            known = (context.namespace, context.workflow_id or "", "activity", context.activity_id or "")
        return type(self)(self._keys, known, self._accepts_clear_text)

    async def encode(self, payloads: Sequence[Payload]) -> list[Payload]:
        return [self._encrypt(payload) for payload in payloads]

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """Raises PayloadDecryptionError, also for clear text, unless the migration setting lets it pass."""
        return [self._decrypt(payload) if is_encrypted(payload) else self._clear(payload) for payload in payloads]

    def _clear(self, payload: Payload) -> Payload:
        if self._accepts_clear_text:
            return payload
        raise PayloadDecryptionError(f"{self._refused()}: it is in clear text, which anybody could have put there.")

    def _refused(self) -> str:
        return f"A payload of workflow {self._owner[1] if len(self._owner) > 1 else '(unknown)'} cannot be decrypted"

    def _encrypt(self, payload: Payload) -> Payload:
        id, key = next(iter(self._keys.items()))
        salt = urandom(SALT_BYTES)
        cipher, nonce = cipher_and_nonce(key, salt)
        key_id = id.encode()
        context = json.dumps(self._owner, ensure_ascii=False, separators=(",", ":")).encode() if self._owner else b""
        metadata = {"encoding": ENCODING, "encryption-key-id": key_id}
        if context:
            metadata["encryption-context"] = context
        # The tag is at the end of the ciphertext.
        sealed = cipher.encrypt(nonce, payload.SerializeToString(), authenticated(key_id, context))
        return Payload(metadata=metadata, data=salt + sealed)

    def _decrypt(self, payload: Payload) -> Payload:
        key_id = payload.metadata.get("encryption-key-id", b"")
        context = payload.metadata.get("encryption-context", b"")
        at = self._refused()
        id = key_id.decode(errors="replace")
        if (key := self._keys.get(id)) is None:
            raise PayloadDecryptionError(
                f'{at}: it was encrypted with the key "{id}", and {SETTING} has {", ".join(self._keys)}. '
                "Add that key after the others."
            )
        if not may_read(context, self._owner):
            raise PayloadDecryptionError(
                f"{at}: it was made for another workflow, activity or namespace, and moved here."
            )
        cipher, nonce = cipher_and_nonce(key, payload.data[:SALT_BYTES])
        try:
            clear = cipher.decrypt(nonce, payload.data[SALT_BYTES:], authenticated(key_id, context))
            return Payload.FromString(clear)
        except (InvalidTag, DecodeError):
            raise PayloadDecryptionError(
                f'{at}: it was changed after its encryption, or it was encrypted with another key of the name "{id}".'
            ) from None


def is_encrypted(payload: Payload) -> bool:
    return payload.metadata.get("encoding") == ENCODING


def may_read(made_for: bytes, reader: Sequence[str]) -> bool:
    """Whether both name the same owner. What was typed in Temporal UI names the namespace alone."""
    if not reader:
        return True
    try:
        named: Any = json.loads(made_for)
    except ValueError:
        return False
    if not isinstance(named, list) or not named or named[0] != reader[0]:
        return False
    if len(named) == 4 or len(reader) == 4:  # of an activity; an SDK may not know its id when it schedules it
        is_id = "" in (named[-1], reader[-1]) or named[-1] == reader[-1]
        return len(named) == len(reader) and list(named[1:3]) == list(reader[1:3]) and is_id
    return len(named) == 1 or len(reader) == 1 or is_same(named[1], reader[1])


def is_same(made_for: str, reader: str) -> bool:
    """A schedule encrypts for the workflow's id, and starts the workflow with its time after that id."""
    return made_for in (reader, re.sub(r"-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$", "", reader))


def cipher_and_nonce(key: bytes, salt: bytes) -> tuple[AESGCM, bytes]:
    """Each payload has its own key and nonce, derived from its salt."""
    derived = HKDF(SHA256(), KEY_BYTES + NONCE_BYTES, salt, INFO).derive(key)
    return AESGCM(derived[:KEY_BYTES]), derived[KEY_BYTES:]


def authenticated(key_id: bytes, context: bytes) -> bytes:
    return key_id + b"\n" + context
