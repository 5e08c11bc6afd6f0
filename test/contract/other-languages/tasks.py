"""A merchant in Python for a test: takes one task after the other, each a line of JSON, and prints each answer."""

import asyncio
import json
import sys

from merchant import run, show
from payment_gateway import PaymentError, Payments, connect


async def do(payments: Payments, task: str, number: str, request: dict) -> dict:
    if task == "pay":
        return await payments.pay(request)
    if task == "refund":
        return await payments.refund(number, request)
    if task == "create-account":
        return await payments.accounts.create(number, request)
    if task == "account":
        return await payments.accounts.get(number)
    if task == "banks":
        return {"banks": await payments.banks(request)}
    return dict(await {"state": payments.state, "outcome": payments.outcome, "refunds": payments.refunds}[task](number))


async def main() -> int:
    payments = await connect()
    while line := await asyncio.to_thread(sys.stdin.readline):
        try:
            show(await do(payments, **json.loads(line)))
        except PaymentError as error:
            show({"error": error.type, "message": str(error), "details": error.details})
    return 0


run(main())
