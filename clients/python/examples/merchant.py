"""
A merchant's backend in Python.

    python merchant.py ORDER.json           starts the payment and prints the data that the buyer needs to pay
    python merchant.py ORDER.json --wait    also waits for the outcome

It uses the settings of the environment, or those of the stack that `payment-gateway dev` runs in this folder.
"""

import argparse
import asyncio
import json
import os
import sys
import traceback
from collections.abc import Coroutine
from typing import Any, NoReturn

from payment_gateway import ConfigError, PaymentError, TemporalUnreachableError, connect, is_sold


async def main(order_file: str, wait: bool) -> int:
    try:
        order = read(order_file)
        payments = await connect()
    except (ConfigError, TemporalUnreachableError) as error:
        show({"error": type(error).__name__, "message": str(error)}, sys.stderr)
        return 2 if isinstance(error, ConfigError) else 3
    request = order["request"]
    try:
        pay = payments.create_checkout if order["kind"] == "checkout" else payments.pay
        show({"payment_data": await pay(request)})
        show({"state": await payments.state(request["out_trade_no"])})
        if not wait:
            return 0
        result = await payments.outcome(request["out_trade_no"])
    except PaymentError as error:
        show({"error": error.type, "message": str(error), **error.details}, sys.stderr)
        return {"InvalidRequest": 2, "PaymentPending": 3}.get(error.type, 1)
    show({"result": result})
    if is_sold(result):
        return 0
    return 3 if result["attention"] else 1  # a person decides first


def read(order_file: str) -> Any:
    try:
        with open(order_file, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError) as error:
        raise ConfigError(f"The order file cannot be read: {error}") from error


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


def show(value: Any, to: Any = None) -> None:
    print(json.dumps(value, ensure_ascii=False), file=to, flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Starts the payment of an order file.")
    parser.add_argument("order", help="an order: { kind, request }, as in examples/orders")
    parser.add_argument("--wait", action="store_true", help="wait for the outcome")
    arguments = parser.parse_args()
    run(main(arguments.order, arguments.wait))
