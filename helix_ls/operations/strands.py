"""The operations on strands, ``.dna`` files that carry memories. A surface opens and writes the files itself.

The command line takes its choices, bounds and wording from here, and reads each secret from a file. An editor sends
the secret with its request; no argument that holds one is part of a ``repr``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from helix_ls.operations.arguments import LSP, Argument, AskContext, Operation
from helix_ls.operations.persons import STRAND_EXPORT_COMMAND, STRAND_TRUST_COMMAND
from helix_ls.operations.questions import LONGEST_NAME, LONGEST_PATH, Workspace, WorkspaceArguments

if TYPE_CHECKING:
    from helix_core.engine import Helix

STRAND_SCHEMA = "helix.strand/1"
LONGEST_PASSPHRASE = 1_024
LONGEST_KEY = 100
LONGEST_DESCRIPTION = 500
ALL_SCOPES = "all"
POLICIES = ("skip_existing", "overwrite", "newest")
_FILE = Argument("The absolute path of the .dna file.", most=LONGEST_PATH, on=LSP)
_PASSPHRASE = Argument("The passphrase, at most 1,024 bytes.", most=LONGEST_PASSPHRASE, on=LSP)
_DRY_RUN = Argument("Check, and change nothing.", on=LSP)


@dataclass(frozen=True, slots=True)
class ExportArguments:
    """The arguments of ``export_memories``."""

    file: Annotated[str, _FILE]
    passphrase: Annotated[str, _PASSPHRASE] = field(default="", repr=False)
    recipients: Annotated[
        list[str], Argument("Public keys that open it as well, dna-recipient:… each.", most=LONGEST_KEY, on=LSP)
    ] = field(default_factory=list)
    recovery: Annotated[bool, Argument("Make a recovery code that opens it as well.", on=LSP)] = False
    workspaces: Annotated[
        list[str],
        Argument(
            "Whose memories, besides those about every workspace: absolute paths of folders, or all; of this folder if "
            "none is named.",
            most=LONGEST_PATH,
            on=LSP,
        ),
    ] = field(default_factory=list)
    share: Annotated[bool, Argument("Of this folder, only what is in force and not private.", on=LSP)] = False
    scope: Annotated[str, Argument("What is shared.", choices=(ALL_SCOPES, "workspace", "global"), on=LSP)] = ALL_SCOPES
    description: Annotated[
        str, Argument("What the file is, sealed with its content.", most=LONGEST_DESCRIPTION, on=LSP)
    ] = ""
    force: Annotated[bool, Argument("Replace the file.", on=LSP)] = False
    dry_run: Annotated[bool, _DRY_RUN] = False
    workspace: Workspace = None


EXPORT_MEMORIES = Operation(
    "export_memories",
    "Export memories",
    "Write memories to a strand, a .dna file that is signed by the user and encrypted.",
    ExportArguments,
    answer=STRAND_SCHEMA,
    access="admin",
    person=STRAND_EXPORT_COMMAND,
)


@dataclass(frozen=True, slots=True)
class ImportArguments:
    """The arguments of ``import_memories``."""

    file: Annotated[str, _FILE]
    passphrase: Annotated[str, _PASSPHRASE] = field(default="", repr=False)
    recovery_code: Annotated[str, Argument("The recovery code instead.", most=LONGEST_KEY, on=LSP)] = field(
        default="", repr=False
    )
    policy: Annotated[
        str, Argument("Which of two that state one thing is in force then.", choices=POLICIES, on=LSP)
    ] = "skip_existing"
    review: Annotated[
        bool, Argument("Take the memories as proposals, to review each, also of a signer who is not trusted.", on=LSP)
    ] = False
    dry_run: Annotated[bool, _DRY_RUN] = False
    workspace: Workspace = None


IMPORT_MEMORIES = Operation(
    "import_memories",
    "Import memories",
    "Take the memories of a strand in; what an agent takes in waits for a person. Without a passphrase or a recovery "
    "code the user's own key opens it.",
    ImportArguments,
    answer=STRAND_SCHEMA,
    access="admin",
    changes="memory",
)


@dataclass(frozen=True, slots=True)
class StrandArguments:
    """The arguments of ``verify_strand``."""

    file: Annotated[str, _FILE]


def strand_manifest(helix: Helix, given: WorkspaceArguments, context: AskContext) -> dict[str, Any]:  # noqa: ARG001
    """Return the ``helix.strandManifest/1`` object."""
    return helix.memory.manifest()


STRAND_MANIFEST = Operation(
    "strand_manifest",
    "Describe the memory as a strand",
    "Say what a strand of all memories would hold: its format, counts by type and status, content root and last "
    "operation. No text.",
    WorkspaceArguments,
    strand_manifest,
    "helix.strandManifest/1",
)


VERIFY_STRAND = Operation(
    "verify_strand",
    "Verify a strand",
    "Check that a strand is whole, and say who signed it and what opens it; needs no key.",
    StrandArguments,
    answer=STRAND_SCHEMA,
    access="admin",
)


@dataclass(frozen=True, slots=True)
class SignerArguments:
    """The arguments of ``trust_signer``."""

    signer: Annotated[str, Argument("The public key, dna-signer:…", most=LONGEST_KEY, on=LSP)]
    label: Annotated[str, Argument("The user's own name for the signer.", most=LONGEST_NAME, on=LSP)] = ""


TRUST_SIGNER = Operation(
    "trust_signer",
    "Trust a signer",
    "Believe the strands that a key signs from now on.",
    SignerArguments,
    answer=STRAND_SCHEMA,
    access="admin",
    changes="server",
    person=STRAND_TRUST_COMMAND,
)
