"""What a run says about a coding agent: its command line, its image, which API it speaks, its limits."""

import re
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, field_validator

from actors.row import Row

BASE = "http://127.0.0.1:4000"  # the relay's port, in the container's own network
HOME = "/home/agent"
RUN = "/run/heuresis"
PROMPT_FILE = f"{RUN}/prompt.md"
MODEL_SOCKET = f"{RUN}/model.sock"
LONGEST_WORD = 100_000  # bytes; a program's argument may have no more than 131,071

NAMES = ("prompt", "prompt_file", "workspace", "base_url", "socket", "token", "model", "home")
PLACEHOLDER = re.compile(r"\{(" + "|".join(NAMES) + r")\}")

Folder = Annotated[str, StringConstraints(pattern=r"^/[A-Za-z0-9._/-]+$", max_length=200)]
Megabytes = Annotated[int, Field(ge=1, le=1 << 20)]
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
Seconds = Annotated[float, Field(gt=0, le=1e6)]


class CommandSettings(Row):
    """A coding agent's CLI in the branch's container.

    command: its words; {prompt}, {prompt_file}, {workspace}, {base_url}, {socket}, {token}, {model}, {home} are filled
    in, there and in ``environment``; no shell reads them. api: whose base URL {base_url} is, ending in /v1 for openai.
    image: what the agent runs in, None is the task's environment; install: a shell line that adds the agent to it, run
    as root with the host's network when the image is built. workspace: where the code lies. *_mb, tmpfs: megabytes,
    all of them within memory_mb as far as they are filled. evaluate_seconds: after so long `evaluate` says "not yet".
    spare_seconds: before the branch's deadline the agent is ended, so that its last code can still be measured.
    """

    kind: Literal["command"] = "command"
    command: Annotated[tuple[str, ...], Field(min_length=1)]
    environment: dict[Name, str] = Field(default_factory=dict)
    api: Literal["openai", "anthropic"] = "openai"
    image: str | None = None
    install: str | None = None
    workspace: Folder = "/app"
    workspace_mb: Megabytes = 64
    memory_mb: Annotated[int, Field(ge=64)] = 2048
    processes: Annotated[int, Field(ge=8)] = 256
    tmpfs: dict[Folder, Megabytes] = Field(default_factory=lambda: {"/tmp": 512, HOME: 256})
    evaluate_seconds: Seconds = 100.0
    spare_seconds: Annotated[float, Field(ge=0)] = 20.0

    @field_validator("command")
    @classmethod
    def no_nul(cls, command: tuple[str, ...]) -> tuple[str, ...]:
        """A program's arguments cannot hold one."""
        if any("\0" in word for word in command) or not command[0]:
            raise ValueError("a word with a NUL, or no program")
        return command

    @property
    def base_url(self) -> str:
        """Where models are, in the words of the API that the CLI speaks."""
        return f"{BASE}/v1" if self.api == "openai" else BASE


def filled(text: str, values: Mapping[str, str]) -> str:
    """The text with its placeholders filled in; other braces stay as they are."""
    return PLACEHOLDER.sub(lambda found: values[found[1]], text)
