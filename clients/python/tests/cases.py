"""Makes the calls of the contract's cases (clients/cases.json): each is a line of JSON, and so is what it prints of it."""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any

from temporalio.service import RPCError
from typing_extensions import is_typeddict

from payment_gateway import EventError, EventReader, PaymentError, Payments, connect, is_sold, types
from payment_gateway.testing import Simulator

Asked = dict[str, Any]


def calls(payments: Payments) -> dict[str, Callable[[Asked], Awaitable[Any]]]:
    accounts = payments.accounts
    return {
        "pay": lambda asked: payments.pay(asked["order"]),
        "createCheckout": lambda asked: payments.create_checkout(asked["order"]),
        "state": lambda asked: payments.state(asked["number"]),
        "outcome": lambda asked: payments.outcome(asked["number"]),
        "cancel": lambda asked: payments.cancel(asked["number"]),
        "refund": lambda asked: payments.refund(asked["number"], asked.get("refund")),
        "refunds": lambda asked: payments.refunds(asked["number"]),
        "isSold": lambda asked: asyncio.to_thread(is_sold, asked["state"]),
        "banks": lambda asked: payments.banks(asked["request"]),
        "installments": lambda asked: payments.installments(asked["request"]),
        "walletToken": lambda asked: payments.wallet_token(),
        "accounts.create": lambda asked: accounts.create(asked["account"], key=asked.get("number")),
        "accounts.get": lambda asked: accounts.get(asked["number"]),
        "accounts.cancel": lambda asked: accounts.cancel(asked["number"]),
        "accounts.recheck": lambda asked: accounts.recheck(asked["number"]),
        "accounts.quantity": lambda asked: accounts.quantity(),
        "simulator.act": lambda asked: Simulator().act(asked["number"], asked["action"]),
        "simulator.deposit": lambda asked: Simulator().deposit(asked["number"], asked["amount"]),
        "events.read": lambda asked: asyncio.to_thread(
            EventReader(asked["secrets"]).read, asked["body"].encode(), asked["headers"]
        ),
        "types": lambda asked: asyncio.to_thread(fields_of_types),
    }


def fields_of_types() -> dict[str, list[str]]:
    """The fields of each type, to compare them with the schemas."""
    found = {name: one for name, one in vars(types).items() if is_typeddict(one)}
    return {name: sorted(one.__required_keys__ | one.__optional_keys__) for name, one in found.items()}


async def said(call: Awaitable[Any]) -> Asked:
    try:
        return {"answer": await call}
    except EventError as error:
        return {"error": {"type": "EventError", "message": str(error)}}
    except PaymentError as error:
        names = ("type", "because", "retryable", "fields", "issues", "left", "code", "sub_code")
        return {"error": {"message": str(error), **{name: getattr(error, name) for name in names}}}
    except RPCError as error:
        return {"error": {"type": "Temporal", "message": error.message}}


async def main() -> None:
    known = calls(await connect())
    while line := await asyncio.to_thread(sys.stdin.readline):
        asked = json.loads(line)
        print(json.dumps(await said(known[asked["call"]](asked))), flush=True)


asyncio.run(main())
# The SDK may abort a process that ends right after a call (temporalio/sdk-python#300), so skip Python's shutdown.
os._exit(0)
