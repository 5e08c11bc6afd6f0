"""Calls of Temporal's client that payments, accounts and questions share, and what their errors mean."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta
from hashlib import sha256
from typing import Any, NamedTuple, NoReturn, TypeVar

from temporalio.api.errordetails.v1 import NamespaceNotFoundFailure
from temporalio.client import (
    Client,
    WithStartWorkflowOperation,
    WorkflowExecutionStatus,
    WorkflowFailureError,
    WorkflowHandle,
    WorkflowQueryFailedError,
    WorkflowUpdateFailedError,
    WorkflowUpdateRPCTimeoutOrCancelledError,
)
from temporalio.common import WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.converter import WorkflowSerializationContext
from temporalio.exceptions import ApplicationError, WorkflowAlreadyStartedError
from temporalio.service import RPCError, RPCStatusCode

from .codec import PayloadDecryptionError
from .errors import PENDING, PaymentError
from .types import JSON

Answer = TypeVar("Answer")

# Longer than the workflows wait for the gateway, so that they answer first if a worker runs. In seconds.
ANSWER_TIMEOUT = 45
# Nobody waits for a later answer: a worker that comes back must not ask the gateway for it.
LOOKUP_LIVES = timedelta(seconds=ANSWER_TIMEOUT + 15)
REFUND_TIMEOUT = 75
QUERY_TIMEOUT = 15

# A workflow that was just ending took nothing: the same call, a second later, starts another one.
CLOSING_TRIES = 5

# The pauses of a caller that waits for Temporal, in seconds: each is twice the one before it.
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 10.0

# Callers of one order share an update for so long, in seconds: Temporal takes few at a time. The update waits as long before it fails as
# pending, so nobody gets the failure of an earlier call.
SHARED_FOR = 30

# The list of workflows is a moment behind.
LISTED_TRIES = 10

# The activity by which a run sends its order.
CREATION = "gateway.create"

# The call had no answer in its time, or Temporal takes no more calls just now. At a deadline the server may cancel the call.
WITHOUT_ANSWER = (RPCStatusCode.DEADLINE_EXCEEDED, RPCStatusCode.CANCELLED, RPCStatusCode.RESOURCE_EXHAUSTED)

# Temporal restarts, or the connection to it was lost, which the SDK names by several codes. The call may have been taken.
BROKEN_OFF = (
    RPCStatusCode.UNAVAILABLE,
    RPCStatusCode.UNKNOWN,
    RPCStatusCode.INTERNAL,
    RPCStatusCode.ABORTED,
    RPCStatusCode.DATA_LOSS,
)

UNREACHABLE = (
    "Temporal could not be reached, or broke off the call, so it is unknown whether it has taken it: it may have. "
    "Make the same call again, with the same number: that is safe, and what was sent is not sent again."
)


class Running(NamedTuple):
    """A run that goes on."""

    input: JSON
    state: JSON


class Temporal:
    """One app's workflows on one task queue."""

    def __init__(self, client: Client, app_id: str, task_queue: str) -> None:
        self.client = client
        self.app_id = app_id
        self.task_queue = task_queue

    def handle(self, id: str, run_id: str | None = None) -> WorkflowHandle[Any, Any]:
        return self.client.get_workflow_handle(id, run_id=run_id)

    async def state(self, id: str) -> Any:
        """What a workflow that has ended well returned is its state, and needs no worker; any other is asked."""

        async def read() -> Any:
            latest = await self.handle(id).describe()
            if latest.status == WorkflowExecutionStatus.COMPLETED:
                return await self.handle(id, latest.run_id).result()
            return await self.handle(id).query("state")

        return await answered(read(), QUERY_TIMEOUT)

    async def running(self, id: str) -> Running | None:
        """
        The input and the state of the run that goes on: a query adds nothing to its history. None where no run goes on, or where it shows
        no state: then an update tells why. Raises PaymentError: PaymentPending where there is no answer.
        """

        async def read() -> Running | None:
            latest = await self.handle(id).describe()
            if latest.status != WorkflowExecutionStatus.RUNNING:
                return None
            state = await self.handle(id, latest.run_id).query("state")
            return Running(await self._input(id, latest.run_id), state)

        try:
            return await answered(read(), QUERY_TIMEOUT)
        except PaymentError as error:
            if error.type != "NotFound":
                raise
        except (WorkflowQueryFailedError, PayloadDecryptionError):
            pass
        return None

    async def result(self, id: str, timeout: float | None = None) -> Any:
        return await answered(until_reached(self.handle(id).result), timeout)

    async def update(self, id: str, name: str) -> Any:
        return await answered(self.handle(id).execute_update(name), ANSWER_TIMEOUT)

    async def run(
        self, workflow: str, id: str, input: JSON, reuse: WorkflowIDReusePolicy, lives: timedelta | None = None
    ) -> Any:
        """Starts a workflow, or finds it, and waits for its result. It `lives` at most so long."""
        start = self.client.start_workflow(
            workflow,
            {"app_id": self.app_id, **input},
            id=id,
            task_queue=self.task_queue,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
            id_reuse_policy=reuse,
            execution_timeout=lives,
        )
        with suppress(WorkflowAlreadyStartedError):
            await answered(start, ANSWER_TIMEOUT)
        return await self.result(id, ANSWER_TIMEOUT)

    async def start_with_update(
        self,
        workflow: str,
        id: str,
        input: JSON,
        update: str,
        *args: JSON,
        update_id: str | None = None,
        reuse: WorkflowIDReusePolicy = WorkflowIDReusePolicy.ALLOW_DUPLICATE,
        timeout: float = ANSWER_TIMEOUT,
    ) -> Any:
        """One call that starts the workflow, or finds it, and returns the update's answer."""
        start = WithStartWorkflowOperation[Any, Any](
            workflow,
            input,
            id=id,
            task_queue=self.task_queue,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
            id_reuse_policy=reuse,
        )
        call = self.client.execute_update_with_start_workflow(
            update, args=args, start_workflow_operation=start, id=update_id, result_type=dict
        )
        try:
            return await answered(call, timeout, not_found="Closing")
        except WorkflowAlreadyStartedError:
            # The handle has failed as well, and asyncio logs a failure that nobody takes.
            with suppress(WorkflowAlreadyStartedError):
                await start.workflow_handle()
            raise

    async def order(self, id: str, out_trade_no: str) -> JSON:
        """The input of the latest run that may have made the order. Raises PaymentError: DuplicateOrder where none has."""

        async def read() -> JSON | None:
            latest = (await self.handle(id).describe()).run_id
            if order := order_of(await self._input(id, latest)):
                return order
            for run_id in await self._runs_before(id, latest):
                input = await self._input(id, run_id)
                order = order_of(input)
                # The order of a run that gave way was looked at when it did.
                if order and (input["kind"] == "adopt" or await self._may_have_made(id, run_id)):
                    return order
            return None

        if made := await answered(read(), ANSWER_TIMEOUT):
            return made
        message = f"Order {out_trade_no} was made elsewhere, as the gateway or a person has said, and ours was not made."
        raise PaymentError("DuplicateOrder", message)

    async def _input(self, id: str, run_id: str) -> JSON:
        """A run's input. What is no payment's says nothing of an order."""
        first = await anext(aiter(self.handle(id, run_id).fetch_history_events(page_size=1)))
        payloads = first.workflow_execution_started_event_attributes.input.payloads
        # The SDK passes the payloads' owner to the codec everywhere else, but not for a history.
        reader = WorkflowSerializationContext(self.client.namespace, id)
        [input] = await self.client.data_converter.with_context(reader).decode(payloads)
        return input if isinstance(input, dict) and "kind" in input else {"kind": "adopt"}

    async def _runs_before(self, id: str, latest: str | None) -> list[str]:
        """The runs under the id before its latest one, that one first which was started last."""
        for _ in range(LISTED_TRIES):
            runs = [run async for run in self.client.list_workflows(runs_of(id)) if run.id == id]
            if any(run.run_id == latest for run in runs):
                break
            await asyncio.sleep(0.2)
        runs.sort(key=lambda run: run.start_time, reverse=True)
        passed_on = WorkflowExecutionStatus.CONTINUED_AS_NEW
        return [run.run_id for run in runs if run.run_id != latest and run.status != passed_on]

    async def _may_have_made(self, id: str, run_id: str) -> bool:
        """Whether a run has begun to send its order, and has not failed with the word that there is none."""
        run = self.handle(id, run_id)
        events = [event async for event in run.fetch_history_events()]
        if not any(event.activity_task_scheduled_event_attributes.activity_type.name == CREATION for event in events):
            return False
        if (await run.describe()).status != WorkflowExecutionStatus.FAILED:
            return True
        try:
            await answered(run.result(follow_runs=False))
        except PaymentError as error:
            return error.type != "DuplicateOrder" and not leaves_no_order(error)
        return True


def order_of(input: JSON) -> JSON | None:
    """The order that a run was started with, or that the run which gave way to it may have made. None of another adopted trade."""
    order: JSON | None = input.get("may_be") if input["kind"] == "adopt" else input
    return order


def runs_of(id: str) -> str:
    """The query for the runs under an id. It cannot hold a quotation mark or a backslash, so it may find those of others."""
    whole = id.partition('"')[0].partition("\\")[0]
    text = whole.replace("'", "''")
    return f"WorkflowId = '{text}'" if whole == id else f"WorkflowId STARTS_WITH '{text}'"


def leaves_no_order(error: PaymentError) -> bool:
    """Whether the number can be used again, with the same order or a mended one."""
    return error.type in ("NotCreated", "InvalidRequest") and not error.may_exist


def digest(value: object) -> str:
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:32]


def shared_update_id(order: JSON, tries: int) -> str:
    """One id for all who send the same order at the same time. A run that was just ending keeps its id: each try has another."""
    return f"created:{int(time.time() / SHARED_FOR)}:{tries}:{digest(order)}"


async def while_closing(call: Callable[[int], Awaitable[Any]]) -> Any:
    """Makes a call that starts its workflow once more where the run that took it was just ending. Raises PaymentError."""
    for tries in range(1, CLOSING_TRIES):
        try:
            return await call(tries)
        except PaymentError as error:
            if error.because != "Closing":
                raise
        await asyncio.sleep(1)
    return await call(CLOSING_TRIES)


async def until_reached(call: Callable[[], Awaitable[Answer]]) -> Answer:
    """Asks again while Temporal cannot be reached, or takes no calls, as long as the caller waits: its time-out cancels this."""
    pause = FIRST_PAUSE
    while True:
        try:
            return await call()
        except RPCError as error:
            if error.status not in (*BROKEN_OFF, *WITHOUT_ANSWER):
                raise
        await asyncio.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)


async def answered(call: Awaitable[Answer], timeout: float | None = None, not_found: str = "NotFound") -> Answer:
    """
    The answer; a failure of the contract, and an answer that does not come, become a PaymentError. `not_found`: what Temporal's own
    NotFound means, which a call that starts its workflow gets only where the run was just ending.
    """
    try:
        return await asyncio.wait_for(call, timeout)
    except (WorkflowFailureError, WorkflowUpdateFailedError) as error:
        fail(error.cause)
    except (WorkflowUpdateRPCTimeoutOrCancelledError, asyncio.TimeoutError):
        raise no_answer() from None
    except RPCError as error:
        if is_without_namespace(error):
            raise
        if error.status == RPCStatusCode.NOT_FOUND:
            raise failure(not_found, f"Temporal knows nothing under this number: {error.message}") from None
        if error.status in WITHOUT_ANSWER or "no poller" in error.message:
            raise no_answer() from None
        if error.status in BROKEN_OFF:
            raise PaymentError("PaymentPending", UNREACHABLE) from None
        if error.status != RPCStatusCode.FAILED_PRECONDITION:
            raise
        message = "Temporal keeps the order, but the worker cannot process it; has it the same keys as this process?"
        raise PaymentError("PaymentPending", message) from None


def is_without_namespace(error: RPCError) -> bool:
    """Whether Temporal does not have the namespace: that is a wrong setting, and says nothing about a workflow."""
    return any(detail.Is(NamespaceNotFoundFailure.DESCRIPTOR) for detail in error.grpc_status.details)


def no_answer() -> PaymentError:
    return PaymentError(
        "PaymentPending",
        "There is no answer yet, and what Temporal has taken goes on: can it be reached, and is a worker running? Ask again.",
    )


def fail(cause: BaseException) -> NoReturn:
    """Raises a failure of the contract as PaymentError, and every other failure unchanged."""
    if not isinstance(cause, ApplicationError) or cause.type is None:
        message = "Somebody ended this workflow in Temporal before its outcome was known. The order may exist: look for it there."
        raise PaymentError("PaymentPending", message) from cause
    if cause.type == "AcceptedUpdateCompletedWorkflow":
        raise no_answer() from None
    raise failure(cause.type, cause.message, cause.details[0] if cause.details else None) from None


def failure(type: str, message: str, details: JSON | None = None) -> PaymentError:
    """The error for a failure: whatever waits is PaymentPending, and keeps its own type as `because`."""
    return PaymentError("PaymentPending" if type in PENDING else type, message, details, because=type)
