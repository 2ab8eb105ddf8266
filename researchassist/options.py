"""Every tunable once: its name, default and meaning.

Owns the numbers of the specification (000, sections 3 and 4) and the variables that change
them; does not read the environment (settings.py does). Option `toolbox_k` is set by the
variable RESEARCHASSIST_TOOLBOX_K, and so on.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from researchassist.errors import ConfigurationError

ENV_PREFIX = "RESEARCHASSIST_"

# R15: one distance governs every vector store, at writing and at reading. Not an option:
# changing it after data exists would mix rankings.
DISTANCE = "cosine"

# R6: the context window of the default loop model, and of a model nobody told us about.
TOKEN_BUDGETS: Mapping[str, int] = {"gpt-5.6-luna": 256_000}
UNKNOWN_MODEL_TOKEN_BUDGET = 128_000


class Options(BaseModel):
    """The tunables of one running assistant; unknown names and wrong values are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    # Where things are
    data_dir: Path = Field(
        Path("data"), description="Folder of the database file, relative to the project or absolute."
    )
    time_zone: str = Field(
        "", description="IANA zone in which times are shown and told to the model; empty: the machine's."
    )

    # The server
    host: str = Field("127.0.0.1", description="Address the server listens on.")
    port: int = Field(8000, ge=0, le=65535, description="Port the server listens on.")
    allowed_hosts: str = Field(
        "localhost,127.0.0.1,[::1]", description="Host names the page answers to, separated by commas."
    )
    debug: bool = Field(False, description="Django's debug pages; never on a machine others reach.")
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        "WARNING", description="How much the server writes to its terminal."
    )

    # The person
    user: str = Field("me", min_length=1, max_length=64, description="Whose personal memory this is.")
    core_chars: int = Field(
        2000, ge=200, description="Longest core memory in characters; it stands in every turn."
    )
    profile_words: int = Field(
        400, ge=20, description="Longest profile, the rolling summary of the person over sessions, in words."
    )
    profile_versions: int = Field(5, ge=1, description="Versions of the profile that are kept.")
    session_idle_minutes: float = Field(
        30.0, gt=0, description="Idle minutes after which a session has ended and is folded into the profile."
    )
    session_log_chars: int = Field(
        24_000, ge=1000, description="Characters of what was said in sessions that one rewrite reads."
    )
    session_wait_seconds: float = Field(
        2.0,
        ge=0,
        description="Longest that a turn waits for the profile to be rewritten; then it uses the old.",
    )

    # The models
    loop_model: str = Field(
        "gpt-5.6-luna", min_length=1, description="Model that answers and calls tools (D4)."
    )
    writer_model: str = Field(
        "gpt-5.6-terra",
        min_length=1,
        description="Model that writes summaries, labels, entities and tool descriptions (D4).",
    )
    token_budget: int = Field(
        0,
        ge=0,
        description="Context window of the loop model in tokens; 0: known by its name, else 128000 (R6).",
    )
    connect_timeout: float = Field(
        10.0, gt=0, description="Seconds to wait for the model server to accept a connection."
    )
    first_token_timeout: float = Field(
        180.0, gt=0, description="Seconds to wait for the model's first sign of life."
    )
    token_timeout: float = Field(
        60.0, gt=0, description="Seconds of silence within an answer after which it is given up."
    )
    model_retries: int = Field(
        2, ge=0, le=10, description="How often a failed request to the model server is sent again."
    )
    embedding_model: str = Field(
        "auto",
        min_length=1,
        description="auto, packaged, a sentence-transformers name, or a folder; bound to the database.",
    )

    # What a turn reads (R2, R4): the single configuration point of each k
    conversation_limit: int = Field(
        10, ge=1, description="Latest messages of the thread that stand verbatim in the context."
    )
    knowledge_k: int = Field(3, ge=1, description="Passages read from the knowledge base.")
    knowledge_search: Literal["cosine", "fused"] = Field(
        "cosine",
        description="How a turn finds its passages: by meaning, or by meaning and words together.",
    )
    source_cosine: float = Field(
        0.3,
        ge=-1,
        le=1,
        description="Cosine from which a passage is near enough to a question or its answer to be a source.",
    )
    workflow_k: int = Field(3, ge=1, description="Workflows read.")
    entity_k: int = Field(5, ge=1, description="Entities read.")
    summary_k: int = Field(10, ge=1, description="Summaries listed.")
    toolbox_k: int = Field(5, ge=1, description="Tool schemas a turn offers at first (R4).")

    # What is recalled of the person, and how it is ranked (memory/scoring.py)
    facts_k: int = Field(5, ge=1, description="Facts about the person recalled a turn.")
    fact_similar: int = Field(5, ge=1, description="Facts that a new one is compared with.")
    facts_per_turn: int = Field(5, ge=1, description="Most facts that are remembered of one message.")
    helper_calls: int = Field(
        12, ge=1, description="Most requests to the writer model that the steps after one answer make."
    )
    fact_weight_relevance: float = Field(
        1.0, ge=0, description="Weight of a fact's nearness in meaning to the question."
    )
    fact_weight_recency: float = Field(
        0.25,
        ge=0,
        description="Weight of how lately an episode was told or recalled; other facts do not fade.",
    )
    fact_weight_importance: float = Field(
        0.25, ge=0, description="Weight of the importance a fact was given when it was written."
    )
    fact_decay: float = Field(
        0.995, gt=0, le=1, description="What is left of an episode's recency after an hour without use."
    )

    lessons_k: int = Field(2, ge=1, description="Lessons of similar earlier work recalled a turn.")
    lesson_tokens: int = Field(150, ge=20, description="Tokens of one recalled lesson; a longer one is cut.")
    lesson_relevance: float = Field(
        0.25, ge=0, le=1, description="Least likeness (cosine) of a task for its lesson to be recalled."
    )
    reflect_repeats: int = Field(
        3, ge=2, description="Episodes of the person that must repeat before they become a lasting fact."
    )

    # How a turn runs (R6, R7, R10, R13)
    max_iterations: int = Field(10, ge=1, description="Model calls a turn may make (R13).")
    tool_seconds: float = Field(
        120.0, gt=0, description="Time limit of one tool call in seconds; then it is logged as failed."
    )
    turn_seconds: float = Field(300.0, gt=0, description="Time limit of a whole turn in seconds.")
    at_cap: Literal["inability", "finalize"] = Field(
        "inability",
        description="At a limit: the fixed inability message, or one more request without tools.",
    )
    warning_percent: int = Field(
        50, ge=1, le=100, description="Share of the budget from which use is a warning."
    )
    critical_percent: int = Field(
        80, ge=1, le=100, description="Share of the budget from which the conversation is offloaded (R7)."
    )
    question_percent: int = Field(
        25, ge=1, le=80, description="Share of the budget that a question may take before it is refused."
    )
    tool_excerpt_chars: int = Field(
        3000, ge=200, description="Characters of a tool result that the model is given (R10)."
    )

    # The window line by line, in tokens: docs/context-budget.md defends the numbers. In a window that
    # they do not fit in, the lines shrink (agent/allowances.py).
    allow_question: int = Field(
        0,
        ge=0,
        description="Tokens for a question; 0: the share of the budget above. A longer one is refused.",
    )
    allow_system: int = Field(1600, ge=1, description="Tokens for the instructions; never cut.")
    allow_profile: int = Field(800, ge=1, description="Tokens for what earlier sessions told of the person.")
    allow_core: int = Field(700, ge=1, description="Tokens for core memory.")
    allow_facts: int = Field(600, ge=1, description="Tokens for facts about the person.")
    allow_lessons: int = Field(400, ge=1, description="Tokens for lessons of earlier work.")
    allow_running_summary: int = Field(
        800, ge=1, description="Tokens for the running summary of a paged thread."
    )
    allow_tools: int = Field(2500, ge=1, description="Tokens for the schemas of the tools offered.")
    allow_conversation: int = Field(24_000, ge=1, description="Tokens for earlier messages, word for word.")
    allow_knowledge_base: int = Field(2000, ge=1, description="Tokens for passages of documents.")
    allow_workflow: int = Field(1200, ge=1, description="Tokens for earlier ways of working.")
    allow_entity: int = Field(1000, ge=1, description="Tokens for people, places and systems.")
    allow_summary: int = Field(1000, ge=1, description="Tokens for the list of summaries.")
    allow_exchange: int = Field(
        60_000, ge=1, description="Tokens for the running turn's own tool calls and results."
    )
    allow_response: int = Field(16_000, ge=1, description="Tokens kept free for the answer.")
    allow_margin: int = Field(12_800, ge=1, description="Tokens left unplanned: estimates err.")

    message_chars: int = Field(
        8000, ge=500, description="Characters of one earlier message sent; of a longer one head and tail."
    )
    deleted_thread_days: int = Field(
        7,
        ge=0,
        description="Days for which a deleted conversation can be brought back; then it is erased.",
    )

    # Paging: what happens to earlier messages, and the window as working memory
    context_policy: Literal["condense", "page"] = Field(
        "condense",
        description="condense: the latest messages verbatim, older ones in summaries (R7); page: as many as "
        "fit, the oldest folded into a running summary.",
    )
    page_percent: int = Field(
        70, ge=10, le=90, description="Under page: share of the budget above which messages are evicted."
    )
    page_target_percent: int = Field(
        60, ge=5, le=90, description="Under page: share of the budget down to which they are evicted."
    )
    page_turns: int = Field(
        3, ge=1, description="Under page: latest turns that stay verbatim while the budget allows it."
    )
    page_tool_calls: int = Field(
        6, ge=1, description="Under page: tool calls a turn may make; then it answers without tools."
    )
    running_summary_words: int = Field(
        250, ge=20, description="Longest running summary of a paged thread, in words."
    )
    identifier_chars: int = Field(
        1000, ge=0, description="Characters of exact identifiers kept beside a running summary."
    )

    # Condensing: R8, R9
    condense_after: int = Field(
        10, ge=1, description="Messages outside the window after which they are condensed."
    )
    summary_input_chars: int = Field(6000, ge=500, description="Characters one summary is made from (R8).")
    summary_chars: int = Field(1500, ge=600, description="Longest summary text kept.")

    # Documents
    chunk_chars: int = Field(1500, ge=100, description="Longest passage in characters (R14).")
    chunk_overlap: int = Field(
        200, ge=0, description="Most characters that neighbouring passages share (R14)."
    )
    file_megabytes: int = Field(100, ge=1, description="Largest file or download that is read, in megabytes.")
    file_pages: int = Field(3000, ge=1, description="Most pages of a PDF that are read.")
    file_characters: int = Field(10_000_000, ge=1000, description="Most characters of text kept of a file.")
    reading_seconds: int = Field(180, ge=1, description="Time limit for reading one file.")
    reading_megabytes: int = Field(
        1500,
        ge=300,
        description="Megabytes of memory that the process which reads a PDF or web page may take.",
    )
    arxiv_seconds: float = Field(3.0, ge=0, description="Least time between two requests to arXiv.")
    web_seconds: float = Field(
        30.0, gt=0, description="Time limit of a request to arXiv, a DOI or web search."
    )
    download_seconds: float = Field(180.0, gt=0, description="Time limit of the download of a paper or page.")

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "Options":
        """Builds the options from variables that start with RESEARCHASSIST_; others are ignored.

        Raises ConfigurationError naming the variable where one is unknown or has a bad value.
        """
        values: dict[str, Any] = {
            name.removeprefix(ENV_PREFIX).lower(): value
            for name, value in environment.items()
            if name.startswith(ENV_PREFIX)
        }
        try:
            options = cls(**values)
        except ValidationError as error:
            raise ConfigurationError(_sentence(error)) from error
        if options.chunk_overlap >= options.chunk_chars:
            raise ConfigurationError(
                f"{ENV_PREFIX}CHUNK_OVERLAP must be smaller than {ENV_PREFIX}CHUNK_CHARS."
            )
        if options.warning_percent > options.critical_percent:
            raise ConfigurationError(
                f"{ENV_PREFIX}WARNING_PERCENT must not be above {ENV_PREFIX}CRITICAL_PERCENT."
            )
        if options.page_target_percent > options.page_percent:
            raise ConfigurationError(
                f"{ENV_PREFIX}PAGE_TARGET_PERCENT must not be above {ENV_PREFIX}PAGE_PERCENT."
            )
        return options

    def budget(self) -> int:
        """The loop model's context window in tokens (R6)."""
        return self.token_budget or TOKEN_BUDGETS.get(self.loop_model, UNKNOWN_MODEL_TOKEN_BUDGET)


def variable(name: str) -> str:
    """The environment variable that sets the option `name`."""
    return ENV_PREFIX + name.upper()


def _sentence(error: ValidationError) -> str:
    """The first problem of `error` in one sentence with the variable's name."""
    problem = error.errors()[0]
    name = variable(str(problem["loc"][0])) if problem["loc"] else ENV_PREFIX
    if problem["type"] == "extra_forbidden":
        return f"{name} is not a variable of ResearchAssist; .env.example lists those there are."
    return f"{name} cannot be used: {problem['msg']} (given: {problem['input']!r})."
