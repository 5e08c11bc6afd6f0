"""A shop with FastAPI: it sells, hears what becomes of its orders, and gives money back. PORT=9000 python shop.py"""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse
from payment_gateway import (
    DirectPayment,
    EventError,
    EventReader,
    MerchantEvent,
    PaymentError,
    Payments,
    RefundOptions,
    connect,
    is_sold,
)
from pydantic import BaseModel


class NewOrder(BaseModel):
    number: str


class NewRefund(BaseModel):
    number: str
    amount: str = ""
    out_request_no: str = ""
    bank_info: dict[str, str] = {}  # where it goes: a method such as PIX has to know


@dataclass
class Order:
    status: str = "open"  # then "deliver" or "do not deliver"
    refunded: str = "0.00"


events = EventReader()
orders: dict[str, Order] = {}  # your database: what became of each order,
taken: set[str] = set()  # and the ids of the events that it has taken: one may come again
client: Payments


@asynccontextmanager
async def connected(_: FastAPI) -> AsyncIterator[None]:
    global client
    client = await connect()
    yield


app = FastAPI(lifespan=connected)


@app.post("/orders")
async def sell(asked: NewOrder) -> dict[str, str | None]:
    orders.setdefault(asked.number, Order())  # kept before the call
    order: DirectPayment = {
        "out_trade_no": asked.number,
        "subject": "Two tickets",
        "method": "PIX",
        "order_currency": "BRL",
        "order_amount": "150.00",
        "timeout_express": "90m",
        "buyer_id": "buyer-1",
        "customer": {
            "name": "Mariana Souza Lima",
            "email": "mariana@example.com",
            "identify": {"number": "71493180072", "type": "CPF"},
        },
    }
    data = await client.pay(order)  # the same order again gets the same answer
    # None: it was refused, or its answer got lost. Once it ends unsold, sell under a new number.
    return {"pay_url": data.get("pay_url"), "qr_code": data.get("qr_code")}


@app.get("/orders")
async def show() -> dict[str, Order]:
    return orders


@app.post("/events", status_code=204)
async def hear(request: Request) -> None:
    take(events.read(await request.body(), request.headers))  # the bytes as they came: the signature is over them


def take(event: MerchantEvent) -> None:
    if event["id"] in taken or "payment" not in event:
        return
    payment = event["payment"]
    refunded = event["after_sale"]["refunded_amount"] if "after_sale" in event else "0.00"
    if payment["outcome"]:
        orders[payment["out_trade_no"] or ""] = Order("deliver" if is_sold(payment) else "do not deliver", refunded)
    taken.add(event["id"])  # in one transaction with what it changes


@app.post("/refunds")
async def give_back(asked: NewRefund) -> dict[str, object]:
    """Without an amount, all that is left. Only your own people may call this one: put it behind your log-in."""
    refund: RefundOptions = asked.model_dump(exclude={"number"}, exclude_unset=True)
    return {**await client.refund(asked.number, refund)}


@app.exception_handler(EventError)
async def not_ours(_: Request, error: EventError) -> Response:
    return JSONResponse({"message": str(error)}, 401)


@app.exception_handler(PaymentError)
async def failed(_: Request, error: PaymentError) -> Response:
    said = {"type": error.type, "message": str(error), "retryable": error.retryable, **error.details}
    return JSONResponse(said, 503 if error.retryable else 422)


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(os.environ.get("PORT", "9000")))
