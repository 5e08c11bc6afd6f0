"""What no stack brings about: another run goes on under the order's number, and fields that are no text."""

import asyncio
import unittest
from typing import Any
from unittest.mock import AsyncMock, Mock, patch

from temporalio.exceptions import WorkflowAlreadyStartedError
from temporalio.service import RPCError, RPCStatusCode

from payment_gateway import DirectPayment, PaymentError, Payments
from payment_gateway.payments import complete
from payment_gateway.temporal import ANSWER_TIMEOUT

ORDER: DirectPayment = {
    "out_trade_no": "order-1",
    "method": "PIX",
    "order_currency": "BRL",
    "order_amount": "150.00",
    "subject": "Two tickets",
    "buyer_id": "buyer-1",
}


class ClientTest(unittest.IsolatedAsyncioTestCase):
    async def test_a_run_that_another_program_has_started_meanwhile_is_waited_for_no_longer_than_an_answer(self) -> None:
        payments = Payments(AsyncMock(), "demo-app")
        calls: Any = AsyncMock()
        calls.running.return_value = None
        calls.start_with_update.side_effect = WorkflowAlreadyStartedError("payment:demo-app:order-1", "payment")
        calls.result.side_effect = PaymentError("NotCreated", "the gateway refused it")
        payments._temporal = calls
        with self.assertRaises(PaymentError) as pending:
            await payments.pay(ORDER)
        self.assertEqual(pending.exception.type, "PaymentPending")
        calls.result.assert_awaited_once_with("payment:demo-app:order-1", ANSWER_TIMEOUT)

    async def test_a_call_that_a_restart_of_temporal_broke_off_is_pending(self) -> None:
        calls: Any = {
            "pay": lambda payments: payments.pay(ORDER),
            "state": lambda payments: payments.state("order-1"),
            "refund": lambda payments: payments.refund("order-1"),
            "refunds": lambda payments: payments.refunds("order-1"),
            "accounts.recheck": lambda payments: payments.accounts.recheck("A1"),
        }
        for status in (RPCStatusCode.UNAVAILABLE, RPCStatusCode.UNKNOWN, RPCStatusCode.CANCELLED):
            for name, call in calls.items():
                broken: Any = AsyncMock(side_effect=RPCError("transport error", status, b""))
                handle = AsyncMock(describe=broken, result=broken, query=broken, execute_update=broken)
                client: Any = Mock(execute_update_with_start_workflow=broken)
                client.get_workflow_handle.return_value = handle
                with self.subTest(status=status, call=name), self.assertRaises(PaymentError) as pending:
                    await call(Payments(client, "demo-app"))
                self.assertEqual((pending.exception.type, pending.exception.retryable), ("PaymentPending", True))

    async def test_an_outcome_is_waited_for_while_temporal_cannot_be_reached(self) -> None:
        reached: Any = AsyncMock(side_effect=[RPCError("transport error", RPCStatusCode.UNAVAILABLE, b"")] * 7 + [{"outcome": "SUCCESS"}])
        gone: Any = AsyncMock(side_effect=RPCError("no after-sale", RPCStatusCode.NOT_FOUND, b""))
        client: Any = Mock()
        client.get_workflow_handle.return_value = AsyncMock(describe=gone, result=reached)
        payments = Payments(client, "demo-app")
        with patch("payment_gateway.temporal.asyncio.sleep", AsyncMock()) as sleep:
            self.assertEqual(await payments.outcome("order-1"), {"outcome": "SUCCESS"})
        self.assertEqual([pause for (pause,), _ in sleep.call_args_list], [1, 2, 4, 8, 10, 10, 10])

    async def test_a_call_that_waits_for_an_answer_has_its_end_while_temporal_cannot_be_reached(self) -> None:
        broken: Any = AsyncMock(side_effect=RPCError("transport error", RPCStatusCode.UNAVAILABLE, b""))
        client: Any = Mock()
        client.get_workflow_handle.return_value = AsyncMock(result=broken)
        payments = Payments(client, "demo-app")
        with self.assertRaises(PaymentError) as pending:
            await payments._outcome("order-1", 0.05)
        self.assertEqual(pending.exception.type, "PaymentPending")
        with self.assertRaises(asyncio.TimeoutError):
            await asyncio.wait_for(payments.outcome("order-1"), 0.05)
        self.assertEqual(broken.await_count, 2)

    def test_a_field_that_is_no_text_counts_as_absent(self) -> None:
        data = complete({"recovered": False, "clabe": {"number": 1}, "trade_no": "T1", "new": 1}, ("clabe",))
        self.assertEqual(data, {"recovered": False, "trade_no": "T1", "new": 1, "complete": False})


if __name__ == "__main__":
    unittest.main()
