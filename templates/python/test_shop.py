"""The shop's own tests, on the stack that `payment-gateway dev` runs in this folder: python -m unittest"""

import unittest
from uuid import uuid4

import shop
from payment_gateway import EventError, connect
from payment_gateway.testing import Simulator


class ShopTest(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        shop.client = await connect()
        self.number = f"shop-{uuid4()}"

    async def hears_the_end(self) -> str:
        """Takes the event of the payment's end, twice, as it may come. Returns the status of the order."""
        payment = await shop.client.outcome(self.number)
        for _ in range(2):
            shop.take({"id": f"event-{self.number}", "type": "transition", "payment": payment})  # type: ignore[typeddict-item]
        return shop.orders[self.number].status

    async def test_an_order_that_is_paid_is_delivered_and_a_part_goes_back(self) -> None:
        sold = await shop.sell(shop.NewOrder(number=self.number))
        self.assertRegex(sold["qr_code"] or "", "^0002")
        self.assertEqual(shop.orders[self.number].status, "open")
        await Simulator().pay(self.number)
        self.assertEqual(await self.hears_the_end(), "deliver")
        bank_info = {"bank_name": "Banco do Brasil", "agency": "1234", "type": "CHECKING", "number": "56789-0"}
        part = shop.NewRefund(number=self.number, amount="30.00", out_request_no="r-1", bank_info=bank_info)
        self.assertEqual((await shop.give_back(part))["refund_amount"], "30.00")

    async def test_an_order_that_is_canceled_is_not_delivered(self) -> None:
        await shop.sell(shop.NewOrder(number=self.number))
        await Simulator().act(self.number, "cancel")
        self.assertEqual(await self.hears_the_end(), "do not deliver")

    async def test_a_request_that_nobody_signed_is_refused(self) -> None:
        with self.assertRaises(EventError):
            shop.events.read(b'{"id": "event-1", "type": "transition"}', {})


if __name__ == "__main__":
    unittest.main()
