"""The tables, one file a store."""

from .bookkeeping import StoreRevision, StoreState, VectorTombstone
from .command import CommandRun
from .conversational import ConversationalMemory
from .core import CoreMemory
from .deleted_thread import DeletedThread
from .document import Document
from .entity import EntityMemory
from .fact import Fact, FactChange, FactKind, FactOperation, FactState
from .lesson import Lesson, LessonState
from .message_vector import MessageVector
from .profile import Profile
from .semantic import SemanticMemory
from .session import Session
from .summary import SummaryMemory
from .thread import Privacy, Thread
from .tool_log import ToolLogMemory
from .toolbox import ToolboxKey, ToolboxMemory
from .turn import Outcome, Turn
from .workflow import WorkflowMemory

__all__ = [
    "CommandRun",
    "ConversationalMemory",
    "CoreMemory",
    "DeletedThread",
    "Document",
    "EntityMemory",
    "Fact",
    "FactChange",
    "FactKind",
    "FactOperation",
    "FactState",
    "Lesson",
    "LessonState",
    "MessageVector",
    "Outcome",
    "Privacy",
    "Profile",
    "SemanticMemory",
    "Session",
    "StoreRevision",
    "StoreState",
    "SummaryMemory",
    "Thread",
    "ToolLogMemory",
    "ToolboxKey",
    "ToolboxMemory",
    "Turn",
    "VectorTombstone",
    "WorkflowMemory",
]
