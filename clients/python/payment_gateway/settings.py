"""The settings of the environment, or of the stack that runs in this folder."""

import os
import shlex
from collections.abc import Mapping
from pathlib import Path

# Each of these variables names a stack. Where one is set, .payments/dev.env is not read.
NAMES_A_STACK = ("TEMPORAL_ADDRESS", "TEMPORAL_PROFILE", "GATEWAY_APP_ID", "GATEWAY_APPS_FILE")


def environment(environ: Mapping[str, str] = os.environ, folder: str = ".payments") -> dict[str, str]:
    """The settings: those of the stack that `payment-gateway dev` runs in this folder, where the environment names none."""
    file = Path(folder) / "dev.env"
    if environ.get("NODE_ENV") == "production" or any(environ.get(name) for name in NAMES_A_STACK) or not file.exists():
        return dict(environ)
    lines = (line.partition("=") for line in file.read_text(encoding="utf-8").splitlines() if "=" in line)
    # Values are quoted where a shell would take a character for its own.
    return {**{name: "".join(shlex.split(value)) for name, _, value in lines}, **environ}
