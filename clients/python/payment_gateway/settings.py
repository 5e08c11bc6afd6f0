"""The settings of the environment, or of the stack that runs in this folder."""

import os
import shlex
from collections.abc import Mapping
from pathlib import Path

from .errors import ConfigError

# Each of these variables names a stack. Where one is set, .payments/dev.env is not read.
NAMES_A_STACK = ("TEMPORAL_ADDRESS", "TEMPORAL_PROFILE", "GATEWAY_APP_ID", "GATEWAY_APPS_FILE")


def environment(environ: Mapping[str, str] = os.environ, folder: str = ".payments") -> dict[str, str]:
    """
    The settings: those of the stack that `payment-gateway dev` runs in this folder, where the environment names none. Raises
    ConfigError for a file that is somebody else's.
    """
    file = Path(folder) / "dev.env"
    if environ.get("NODE_ENV") == "production" or any(environ.get(name) for name in NAMES_A_STACK) or not file.exists():
        return dict(environ)
    lines = (line.partition("=") for line in own_text(file).splitlines() if "=" in line)
    # Values are quoted where a shell would take a character for its own.
    return {**{name: "".join(shlex.split(value)) for name, _, value in lines}, **environ}


def setting(settings: Mapping[str, str], name: str) -> str:
    """A setting, or what the file holds that `…_FILE` names; empty where neither is set. Raises ConfigError."""
    text, file = settings.get(name, ""), settings.get(f"{name}_FILE")
    if not file:
        return text
    if text:
        raise ConfigError(f"{name} and {name}_FILE are both set; keep one.")
    try:
        return Path(file).read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ConfigError(f"{name}_FILE cannot be read: {error.strerror}") from None


def own_text(file: Path) -> str:
    """The text of a file of the user's own: in a folder of somebody else's, it could name their Temporal and their keys."""
    try:
        opened = os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        raise not_own(file) from None
    with open(opened, encoding="utf-8") as text:
        known = os.fstat(opened)
        if hasattr(os, "getuid") and (known.st_uid != os.getuid() or known.st_mode & 0o7777 != 0o600):
            raise not_own(file)
        return text.read()


def not_own(file: Path) -> ConfigError:
    return ConfigError(
        f"{file} is not read: it must be a file of yours with mode 600, as npx payment-gateway dev makes it. "
        "Run that here, or set TEMPORAL_ADDRESS and the other settings."
    )
