"""A merchant in Python for a test: takes a task, as examples/go/merchant does, and prints the answer."""

import json
import sys

from merchant import run, show
from payment_gateway import PaymentError, Payments, connect


async def do(payments: Payments, task: str, number: str) -> dict:
    request = json.load(sys.stdin)
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


async def main(task: str, number: str) -> int:
    try:
        show(await do(await connect(), task, number))
    except PaymentError as error:
        show({"error": error.type, "message": str(error), "details": error.details})
        return 1
    return 0


run(main(sys.argv[1], sys.argv[2]))
