"""What a tool is: a function, its schema from signature and docstring, and what the harness hands it."""

import hashlib
import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from string import Formatter
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

import docstring_parser
from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from researchassist.errors import ToolError
from researchassist.memory.records import MessageRecord
from researchassist.papers.pdf import Progress

if TYPE_CHECKING:
    from researchassist.agent.assistant import Assistant

_CONTEXT = "context"
_LONGEST_VALUE = 80
_FunctionT = TypeVar("_FunctionT", bound=Callable[..., Any])


def working(words: str, without: str = "") -> Callable[[_FunctionT], _FunctionT]:
    """What a tool does, in words for the person while it runs: `{name}` stands for an argument.

    `without` is said where one of those arguments is not given.
    """

    def remember(function: _FunctionT) -> _FunctionT:
        function.working = (words, without or words)  # type: ignore[attr-defined]
        return function

    return remember


@dataclass(frozen=True)
class ToolContext:
    """What the harness hands to a tool, never the model: the assistant and the turn it runs in.

    `tell` says in words how far a tool that takes long has come.
    """

    assistant: "Assistant"
    question: MessageRecord
    turn_id: str | None = None
    tell: Progress = field(default=lambda words: None)  # noqa: ARG005

    @property
    def thread_id(self) -> str:
        """The thread of the turn."""
        return self.question.thread_id


@dataclass(frozen=True)
class Tool:
    """A callable the model may ask for. `changes_memory`: the context is read anew after it."""

    name: str
    function: Callable[..., Any]
    docstring: str
    source: str
    description: str
    signature: str
    parameters: Mapping[str, Any]
    arguments: type[BaseModel]
    changes_memory: bool
    source_hash: str
    working: tuple[str, str] = ("", "")

    def doing(self, arguments: str) -> str:
        """What a call with these arguments (as the model wrote them) does, in words for the person."""
        words, without = self.working
        given = {name: _shown(value) for name, value in as_object(arguments).items()}
        wanted = [part[1] for part in Formatter().parse(words) if part[1]]
        if all(given.get(name) for name in wanted):
            return words.format_map(given) if words else f"Using {self.name}"
        return without.format_map(dict.fromkeys(wanted, "…"))

    def decode(self, text: str) -> dict[str, Any]:
        """The arguments the model wrote, checked against the signature.

        Raises ToolError with a sentence the model can mend its call by.
        """
        try:
            checked = self.arguments.model_validate(decoded(text))
        except ValidationError as error:
            problems = "; ".join(
                f"{'.'.join(str(part) for part in problem['loc']) or 'arguments'}: {problem['msg']}"
                for problem in error.errors()
            )
            raise ToolError(f"Wrong arguments for {self.name}{self.signature}: {problems}.") from error
        return {name: getattr(checked, name) for name in type(checked).model_fields}

    def call(self, context: ToolContext, arguments: Mapping[str, Any]) -> str:
        """Runs the function; its result as text (JSON where it is not text already)."""
        handed = {_CONTEXT: context} if _CONTEXT in inspect.signature(self.function).parameters else {}
        result = self.function(**handed, **arguments)
        if isinstance(result, str):
            return result
        return json.dumps(result, ensure_ascii=False, default=str)


def _shown(value: Any) -> str:
    """An argument on one line."""
    text = " ".join(value.split()) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"


def define(function: Callable[..., Any], *, changes_memory: bool = False) -> Tool:
    """The tool a function is. Parameters named `context` are handed over by the harness."""
    docstring = inspect.getdoc(function) or ""
    parsed = docstring_parser.parse(docstring, docstring_parser.DocstringStyle.GOOGLE)
    described = {parameter.arg_name: parameter.description for parameter in parsed.params}
    hints = get_type_hints(function, include_extras=True)
    signature = inspect.signature(function)
    shown = [p for name, p in signature.parameters.items() if name != _CONTEXT]
    fields: dict[str, Any] = {
        parameter.name: (
            hints.get(parameter.name, str),
            Field(
                ... if parameter.default is inspect.Parameter.empty else parameter.default,
                description=described.get(parameter.name),
            ),
        )
        for parameter in shown
    }
    # Models write ids as numbers; a text may be given as one.
    config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)
    arguments = create_model(function.__name__, __config__=config, **fields)
    description = "\n".join(part for part in (parsed.short_description, parsed.long_description) if part)
    source = inspect.getsource(function)
    return Tool(
        name=function.__name__,
        function=function,
        docstring=docstring,
        source=source,
        description=description or function.__name__.replace("_", " "),
        signature=str(signature.replace(parameters=shown)),
        parameters=_schema(arguments),
        arguments=arguments,
        changes_memory=changes_memory,
        source_hash=hashlib.sha256(source.encode()).hexdigest(),
        working=getattr(function, "working", ("", "")),
    )


def _schema(arguments: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of the arguments, without the titles pydantic makes up."""
    schema = arguments.model_json_schema()
    schema.pop("title", None)
    schema.setdefault("properties", {})
    schema.setdefault("required", [])
    for argument in schema["properties"].values():
        argument.pop("title", None)
    return schema


def decoded(text: str) -> Any:
    """What the model wrote as arguments, read generously: nothing and null are no arguments, and
    JSON inside a JSON string is unpacked. Raises ToolError where it is no JSON at all."""
    value: Any = text
    for _ in range(3):
        if value is None or (isinstance(value, str) and not value.strip()):
            return {}
        if not isinstance(value, str):
            return value
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise ToolError("The arguments are not a JSON object; send them as one.") from error
    return value


def as_object(text: str) -> dict[str, Any]:
    """What the model wrote as arguments, as the JSON object it should have been; else an empty one."""
    try:
        value = decoded(text)
    except ToolError:
        return {}
    return value if isinstance(value, dict) else {}
