"""A shop's own tests, on the stack that `npm start` runs in this folder: python -m unittest discover clients/python/tests"""

import unittest
from uuid import uuid4

from payment_gateway import ConfigError, DirectPayment, PaymentError, connect
from payment_gateway.testing import Simulator

CURRENCY = "BRL"


def order(**changes: str) -> DirectPayment:
    made: DirectPayment = {
        "out_trade_no": f"shop-{uuid4()}",
        "method": "PIX",
        "order_currency": CURRENCY,
        "order_amount": "150.00",
        "subject": "Two tickets",
        "buyer_id": "buyer-1",
        "timeout_express": "90m",
        "customer": {
            "name": "Mariana Souza Lima",
            "email": "mariana@example.com",
            "identify": {"number": "71493180072", "type": "CPF"},
        },
    }
    made.update(changes)  # type: ignore[typeddict-item]
    return made


class ShopTest(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        try:
            self.payments, self.simulator = await connect(), Simulator()
        except ConfigError as error:
            self.skipTest(str(error))

    async def test_a_buyer_who_pays_is_delivered_to_and_gets_a_part_back(self) -> None:
        sold = order()
        data = await self.payments.pay(sold)
        self.assertTrue(data["complete"])
        self.assertRegex(data["qr_code"], "^0002")
        await self.simulator.pay(sold["out_trade_no"])
        self.assertEqual((await self.payments.outcome(sold["out_trade_no"]))["outcome"], "SUCCESS")
        answer = await self.payments.refund(sold["out_trade_no"], {"amount": "30.00", "out_request_no": "r-1"})
        self.assertEqual(answer["refund_amount"], "30.00")

    async def test_a_buyer_who_cancels_gets_nothing(self) -> None:
        sold = order()
        await self.payments.pay(sold)
        await self.simulator.act(sold["out_trade_no"], "cancel")
        self.assertEqual((await self.payments.outcome(sold["out_trade_no"]))["outcome"], "CANCEL")

    async def test_a_wrong_order_is_refused_field_by_field(self) -> None:
        with self.assertRaises(PaymentError) as refused:
            await self.payments.pay(order(order_amount="0.00"))
        self.assertEqual(refused.exception.type, "InvalidRequest")
        self.assertIn("order_amount", refused.exception.fields)


if __name__ == "__main__":
    unittest.main()
