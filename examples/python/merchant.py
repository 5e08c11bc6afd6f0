"""
A merchant's backend in Python: payments with Temporal's own SDK. It does not install temporal-payment-gateway.

    python merchant.py ORDER.json           starts the payment and prints the data that the buyer needs to pay
    python merchant.py ORDER.json --wait    also waits for the outcome

If PAYMENTS_ENCRYPTION_KEYS (or …_FILE) is set, codec.py encrypts everything that goes to Temporal.

Copy `Payments`, `seal` and codec.py into your backend; the rest is a small program that uses them.
"""

import argparse
import asyncio
import json
import os
import sys
import traceback
from base64 import urlsafe_b64encode
from collections.abc import Coroutine
from datetime import timedelta
from typing import Any, NoReturn

from codec import data_converter
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

JSON = dict[str, Any]

# Fields of an order that are sealed, so that only the worker can read them.
SECRET_FIELDS = ("token", "account_verification_code")

# Longer than the workflow waits for the gateway, so that the workflow answers first if a worker runs.
ANSWER_TIMEOUT = timedelta(seconds=45)


class PaymentError(Exception):
    """
    Why there is no payment data. `type` is one of:

    - `InvalidRequest`: the order breaks a rule and was not sent; `details["issues"]` says which field and which rule
    - `NotCreated`: the gateway refused the order, and it does not exist; `details` has the gateway's `code` and `sub_code`
    - `DifferentRequest`: this `out_trade_no` was used with another request; `details["fields"]` names the differences
    - `DuplicateOrder`: the gateway has an order with this `out_trade_no` that was not made here
    - `PaymentPending`: not known yet. The payment goes on; ask again with the same order
    """

    def __init__(self, type: str, message: str, details: JSON | None = None) -> None:
        super().__init__(message)
        self.type = type
        self.details = details or {}


class Payments:
    """Payments of one gateway app. An order's `out_trade_no` is its key: the same order again gets the same answer."""

    def __init__(self, client: Client, app_id: str, task_queue: str = "payments") -> None:
        self.client = client
        self.app_id = app_id
        self.task_queue = task_queue

    async def pay(self, request: JSON, kind: str = "direct") -> JSON:
        """Starts the payment and returns its payment data, such as `qr_code`. Raises PaymentError."""
        payment = {"kind": kind, "app_id": self.app_id, "request": request}
        start = WithStartWorkflowOperation[Any, Any](
            "payment",
            payment,
            id=self.workflow_id(request["out_trade_no"]),
            task_queue=self.task_queue,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
            id_reuse_policy=WorkflowIDReusePolicy.REJECT_DUPLICATE,
        )
        update = self.client.execute_update_with_start_workflow(
            "created", payment, start_workflow_operation=start, result_type=dict
        )
        try:
            data: JSON = await asyncio.wait_for(update, ANSWER_TIMEOUT.total_seconds())
            return data
        except WorkflowAlreadyStartedError:
            return await self._created_before(payment)
        except WorkflowUpdateFailedError as error:
            fail(error.cause)
        except (WorkflowUpdateRPCTimeoutOrCancelledError, asyncio.TimeoutError):
            raise PaymentError("PaymentPending", "Temporal keeps the order; is a worker running?") from None
        except RPCError as error:
            if error.status != RPCStatusCode.FAILED_PRECONDITION:
                raise
            message = "Temporal keeps the order, but the worker cannot process it; has it the same keys as this process?"
            raise PaymentError("PaymentPending", message) from None

    async def state(self, out_trade_no: str) -> JSON:
        """The payment's state now."""
        state: JSON = await self._handle(out_trade_no).query("state", result_type=dict)
        return state

    async def outcome(self, out_trade_no: str) -> JSON:
        """Waits until the payment ends, which may take days, and returns its final state. Raises PaymentError."""
        return await result_of(self._handle(out_trade_no))

    def workflow_id(self, out_trade_no: str) -> str:
        return f"payment:{self.app_id}:{out_trade_no}"

    def _handle(self, out_trade_no: str, run_id: str | None = None) -> WorkflowHandle[Any, JSON]:
        return self.client.get_workflow_handle(self.workflow_id(out_trade_no), run_id=run_id, result_type=dict)

    async def _created_before(self, payment: JSON) -> JSON:
        """The payment data of a payment that has ended. Raises PaymentError if the order was another one."""
        handle, before = await self._original(payment["request"]["out_trade_no"])
        if fields := [] if before["kind"] == "adopt" else differing_fields(before, payment):
            raise PaymentError(
                "DifferentRequest",
                f"This out_trade_no was used before with another request: {', '.join(fields)} differ.",
                {"fields": fields},
            )
        state = await result_of(handle)
        return state["payment_data"] or {"trade_status": state["trade_status"], **(state["refused_because"] or {})}

    async def _original(self, out_trade_no: str) -> tuple[WorkflowHandle[Any, JSON], JSON]:
        """The run that made the order, and its input. Later runs only handle news of that order."""
        run_id: str | None = None
        while True:
            handle = self._handle(out_trade_no, run_id)
            first = await anext(aiter(handle.fetch_history_events(page_size=1)))
            payloads = first.workflow_execution_started_event_attributes.input.payloads
            # The SDK passes the payloads' owner to the codec everywhere else, but not for a history.
            reader = WorkflowSerializationContext(self.client.namespace, handle.id)
            [payment] = await self.client.data_converter.with_context(reader).decode(payloads)
            run_id = payment.get("previous", {}).get("run_id")
            if run_id is None:
                return handle, payment


async def result_of(handle: WorkflowHandle[Any, JSON]) -> JSON:
    try:
        return await handle.result()
    except WorkflowFailureError as error:
        fail(error.cause)


def fail(cause: BaseException) -> NoReturn:
    """Raises a payment's failure as PaymentError, and every other failure unchanged."""
    if not isinstance(cause, ApplicationError) or cause.type is None:
        raise cause
    details = cause.details[0] if cause.details else {}
    raise PaymentError(cause.type, cause.message, details) from None


def differing_fields(one: JSON, other: JSON) -> list[str]:
    """The fields that differ. Secrets are left out: each seal of the same secret is a different text."""
    a, b = ({"kind": payment["kind"], **payment["request"]} for payment in (one, other))
    return sorted(name for name in {**a, **b} if name not in SECRET_FIELDS and a.get(name) != b.get(name))


def seal(request: JSON, app_id: str, public_jwk: JSON) -> JSON:
    """
    The order with its secrets sealed to the worker's public key (PAYMENTS_SEALING_PUBLIC_JWK), each as
    `{"sealed": "<compact JWE>"}`. The seal names app and order, so that it cannot be used with another one.
    """
    header = {
        "alg": "ECDH-ES",
        "enc": "A256GCM",
        "apu": base64url(app_id),
        "apv": base64url(request["out_trade_no"]),
        **({"kid": public_jwk["kid"]} if "kid" in public_jwk else {}),
    }
    key = jwk.import_key(public_jwk)
    sealed = {
        name: {"sealed": jwe.encrypt_compact(dict(header), request[name], key)}
        for name in SECRET_FIELDS
        if isinstance(request.get(name), str)
    }
    return {**request, **sealed}


def base64url(text: str) -> str:
    return urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


async def connect() -> Client:
    """Connects by Temporal's own variables: TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_PROFILE, …"""
    config = ClientConfig.load_client_connect_config()
    config.setdefault("target_host", "localhost:7233")
    return await Client.connect(**config, data_converter=data_converter(os.environ))


async def main(order_file: str, wait: bool) -> int:
    with open(order_file, encoding="utf-8") as file:
        order = json.load(file)
    app_id = setting("GATEWAY_APP_ID")
    request = order["request"]
    out_trade_no = request["out_trade_no"]

    if any(name in request for name in SECRET_FIELDS):
        request = seal(request, app_id, json.loads(setting("PAYMENTS_SEALING_PUBLIC_JWK")))

    payments = Payments(await connect(), app_id, os.environ.get("PAYMENTS_TASK_QUEUE", "payments"))
    try:
        show({"payment_data": await payments.pay(request, order["kind"])})
        show({"state": await payments.state(out_trade_no)})
        if not wait:
            return 0
        result = await payments.outcome(out_trade_no)
    except PaymentError as error:
        show({"error": error.type, "message": str(error), **error.details}, sys.stderr)
        return {"InvalidRequest": 2, "PaymentPending": 3}.get(error.type, 1)
    show({"result": result})
    return 0 if result["outcome"] == "SUCCESS" else 1


def run(program: Coroutine[Any, Any, int]) -> NoReturn:
    """Runs a short program and exits with its code. A backend that keeps running does not need this."""
    try:
        code = asyncio.run(program)
    except Exception:
        # The error does not mean that the payment failed: it may go on.
        traceback.print_exc()
        code = 3
    # The SDK may abort a process that ends right after a call (temporalio/sdk-python#300), so skip Python's shutdown.
    os._exit(code)


def setting(name: str) -> str:
    return os.environ.get(name) or sys.exit(f"Set the environment variable {name}.")


def show(value: JSON, to: Any = None) -> None:
    print(json.dumps(value, ensure_ascii=False), file=to, flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Starts the payment of an order file.")
    parser.add_argument("order", help="an order: { kind, request }, as in examples/orders")
    parser.add_argument("--wait", action="store_true", help="wait for the outcome")
    arguments = parser.parse_args()
    run(main(arguments.order, arguments.wait))
