"""A careless merchant: sends an order with its bare card token."""

import json
import sys

from merchant import run, show
from payment_gateway import PaymentError, connect


async def main(order_file: str) -> int:
    with open(order_file, encoding="utf-8") as file:
        request = json.load(file)["request"]
    payments = await connect()
    try:
        show({"payment_data": await payments._create("direct", request)})
    except PaymentError as error:
        show({"error": error.type, "message": str(error), **error.details}, sys.stderr)
        return 1
    return 0


run(main(sys.argv[1]))
