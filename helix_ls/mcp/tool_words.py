"""What a model is told of a tool, and the arguments that many tools have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from helix_ls.mcp.fields import Field, input_schema

QUESTION = Field(
    "question",
    str,
    "What you want to know, in words, names of symbols or files, or a quoted message.",
    also=("query",),
)
WORKSPACE = Field(
    "workspace", str, "Which open folder, by name; the first one when left out.", default=None, also=("root",)
)


@dataclass(frozen=True, slots=True)
class ToolWords:
    """What a model is told of a tool. ``schema`` is the name its answers bear.

    One that ``writes`` is offered only where the user has allowed it; one that ``destroys`` takes something away. What
    is done twice is as done once.
    """

    name: str
    title: str
    description: str
    fields: tuple[Field, ...]
    schema: str
    writes: bool = False
    destroys: bool = False

    def input_schema(self) -> dict[str, Any]:
        """Of its arguments."""
        return input_schema(self.fields)

    def output_schema(self) -> dict[str, Any]:
        """Of its structured content; more keys than these may be there."""
        return {
            "type": "object",
            "properties": {"schema": {"type": "string", "const": self.schema}},
            "required": ["schema"],
        }
