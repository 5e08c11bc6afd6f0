"""Runs the example's codec for a test: reads tasks from a JSON file and prints one answer a line."""

import asyncio
import json
import os
import sys
from base64 import b64decode, b64encode

from payment_gateway.codec import EncryptionCodec, data_converter, encryption_keys
from temporalio.api.common.v1 import Payload
from temporalio.converter import ActivitySerializationContext, SerializationContext, WorkflowSerializationContext


def context_of(owner: dict) -> SerializationContext:
    """As the SDK makes it: for a workflow, or for one of its activities."""
    if owner.get("type") == "activity":
        id = owner.get("activityId")
        return ActivitySerializationContext(owner["namespace"], id, None, None, owner["workflowId"], None, False)
    return WorkflowSerializationContext(owner["namespace"], owner["workflowId"])


async def answer(task: dict) -> dict:
    try:
        converter = data_converter({**os.environ, **task.get("settings", {})})
        owner = task.get("owner")
        if owner and "workflowId" in owner:
            converter = converter.with_context(context_of(owner))
        codec = converter.payload_codec
        if owner and "workflowId" not in owner:  # as a codec server does, which knows the namespace alone
            codec = EncryptionCodec(encryption_keys(os.environ), (owner["namespace"],))
        if codec is None:
            return {"encrypts": False}
        given = task["payload"]
        metadata = {name: b64decode(value) for name, value in given["metadata"].items()}
        work = codec.encode if task["do"] == "encode" else codec.decode
        [payload] = await work([Payload(metadata=metadata, data=b64decode(given["data"]))])
        metadata = {name: b64encode(value).decode() for name, value in payload.metadata.items()}
        return {"payload": {"metadata": metadata, "data": b64encode(payload.data).decode()}}
    except Exception as error:
        return {"error": type(error).__name__, "message": str(error)}


async def main(file: str) -> None:
    with open(file, encoding="utf-8") as tasks:
        for task in json.load(tasks):
            print(json.dumps(await answer(task)), flush=True)


asyncio.run(main(sys.argv[1]))
