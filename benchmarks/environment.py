"""A throwaway memory for a benchmark, set up before Django is."""

import os
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def throwaway() -> Path:
    """A new data folder with a migrated database; the process is bound to it."""
    folder = Path(tempfile.mkdtemp(prefix="researchassist-benchmark-"))
    os.environ["RESEARCHASSIST_DATA_DIR"] = str(folder)
    os.environ["RESEARCHASSIST_EMBEDDING_MODEL"] = "packaged"
    os.environ["DJANGO_SETTINGS_MODULE"] = "researchassist.settings"
    for secret in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        os.environ.pop(secret, None)
    import django  # noqa: PLC0415  (after the environment is set)
    from django.core.management import call_command  # noqa: PLC0415

    django.setup()
    call_command("migrate", verbosity=0)
    return folder


def percentile(values: list[float], share: float) -> float:
    """The value below which `share` of the values lie (nearest rank)."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]
