"""Commands in the composer, one file each; they ask no language model but to condense and to file what is
to be remembered. To add one: write its file and list it here."""

from .arxiv import COMMAND as ARXIV
from .context import COMMAND as CONTEXT
from .core import COMMAND as CORE
from .definition import Command
from .documents import COMMAND as DOCUMENTS
from .expand import COMMAND as EXPAND
from .file import COMMAND as FILE
from .forget import COMMAND as FORGET
from .forget_document import COMMAND as FORGET_DOCUMENT
from .help import COMMAND as HELP
from .memory import COMMAND as MEMORY
from .private import COMMAND as PRIVATE
from .profile import COMMAND as PROFILE
from .reingest import COMMAND as REINGEST
from .remember import COMMAND as REMEMBER
from .restore_document import COMMAND as RESTORE_DOCUMENT
from .save import COMMAND as SAVE
from .search import COMMAND as SEARCH
from .summarize import COMMAND as SUMMARIZE
from .tools import COMMAND as TOOLS
from .undo import COMMAND as UNDO
from .why import COMMAND as WHY

COMMANDS: tuple[Command, ...] = (
    HELP,
    ARXIV,
    SAVE,
    DOCUMENTS,
    FORGET_DOCUMENT,
    RESTORE_DOCUMENT,
    REINGEST,
    SEARCH,
    SUMMARIZE,
    EXPAND,
    TOOLS,
    CONTEXT,
    MEMORY,
    CORE,
    PROFILE,
    REMEMBER,
    FORGET,
    WHY,
    UNDO,
    PRIVATE,
    FILE,
)
BY_NAME = {command.name: command for command in COMMANDS}
TYPED = tuple(command for command in COMMANDS if command.typed)
