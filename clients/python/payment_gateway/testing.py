"""For your tests: the buyer, the bank and the clock of the simulated gateway that `npm start` runs (docs/simulator.md)."""

import asyncio
import json
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

from .errors import ConfigError
from .settings import environment


class Simulator:
    """
    Does what buyers and banks do. Raises RuntimeError where the state of a trade forbids it.

        await Simulator().pay("order-1")
    """

    def __init__(self, url: str | None = None) -> None:
        """`url`: by default the setting GATEWAY_BASE_URL. Raises ConfigError where there is none."""
        if not (found := url or environment().get("GATEWAY_BASE_URL")):
            raise ConfigError(
                "Where is the simulated gateway? Set GATEWAY_BASE_URL, or run payment-gateway dev in this folder first."
            )
        self._url = found.rstrip("/")

    async def pay(self, out_trade_no: str) -> None:
        """The buyer pays."""
        await self.act(out_trade_no, "pay")

    async def act(self, out_trade_no: str, action: str) -> None:
        """Any action of a buyer or a bank: refuse, cancel, dispute, chargeback, …"""
        await self._post(f"trades/{quote(out_trade_no, safe='')}/{action}")

    async def deposit(self, account_id: str, amount: str) -> None:
        """Money comes into a virtual account."""
        await self._post(f"accounts/{quote(account_id, safe='')}/deposits", {"amount": amount})

    async def advance(self, span: str) -> None:
        """The gateway's clock moves, by such as `2h` or `3d`. Temporal's does not."""
        await self._post("clock", {"advance": span})

    async def _post(self, path: str, body: dict[str, Any] | None = None) -> None:
        data = None if body is None else json.dumps(body).encode()
        headers = {"content-type": "application/json"} if data else {}
        request = Request(f"{self._url}/simulator/{path}", data, headers, method="POST")
        await asyncio.to_thread(call, request)


def call(request: Request) -> None:
    try:
        with urlopen(request):
            pass
    except HTTPError as error:
        raise RuntimeError(f"The simulated gateway refused: {error.read().decode()}") from None
