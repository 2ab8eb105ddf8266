"""Django's settings, and the only reader of the environment.

A gitignored `.env` beside manage.py is loaded first; variables already set win over it.
"""

import contextlib
import os
import secrets
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import environ
import tzlocal
from django.core.exceptions import ImproperlyConfigured

from researchassist.errors import ConfigurationError
from researchassist.options import Options, variable

BASE_DIR = Path(__file__).resolve().parent.parent

environ.Env.read_env(BASE_DIR / ".env")
# Nothing here may reach for a model hub on its own: embedding.py decides when to ask it.
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
# numpy's threads beside torch's made embedding a query four times slower after each search.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

try:
    RESEARCHASSIST = Options.from_environment(os.environ)
except ConfigurationError as error:
    raise ImproperlyConfigured(str(error)) from error

# Secrets stay here and in the model client: never in a page, a log line or a row.
OPENAI_API_KEY = os.environ.get("OPENAI_API_KEY", "").strip()
# Named so that Django's error page masks it: an address may carry a user and a password.
OPENAI_API_URL = os.environ.get("OPENAI_BASE_URL", "").strip()
TAVILY_API_KEY = os.environ.get("TAVILY_API_KEY", "").strip()

DATA_DIR = BASE_DIR / RESEARCHASSIST.data_dir
DATABASE_FILE = DATA_DIR / "researchassist.sqlite3"


def _data_dir() -> None:
    """Makes the data folder, or stops with a sentence that names it and the way out."""
    try:
        DATA_DIR.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ImproperlyConfigured(
            f"The data folder {DATA_DIR} cannot be made ({error.strerror}). "
            f"Set {variable('data_dir')} to a folder that can be written."
        ) from error
    if not os.access(DATA_DIR, os.W_OK | os.X_OK):
        raise ImproperlyConfigured(
            f"The data folder {DATA_DIR} cannot be written. "
            f"Set {variable('data_dir')} to a folder that can be."
        )


def _secret_key() -> str:
    """Django's key for CSRF tokens: made once, kept beside the database, readable by the owner only."""
    file = DATA_DIR / "secret_key"
    if not file.exists():
        # Written whole beside it, then linked: a kill or a second start never sees half a key.
        draft = DATA_DIR / f"secret_key.{os.getpid()}"
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="ascii") as handle:
            handle.write(secrets.token_urlsafe(48))
        with contextlib.suppress(FileExistsError):
            os.link(draft, file)
        draft.unlink()
    return file.read_text(encoding="ascii")


def _time_zone() -> str:
    """The configured zone, else the machine's."""
    name = RESEARCHASSIST.time_zone or tzlocal.get_localzone_name() or "UTC"
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ImproperlyConfigured(f"{variable('time_zone')}: there is no time zone {name!r}.") from error
    return name


_data_dir()
SECRET_KEY = _secret_key()
DEBUG = RESEARCHASSIST.debug
ALLOWED_HOSTS = [host.strip() for host in RESEARCHASSIST.allowed_hosts.split(",") if host.strip()]

INSTALLED_APPS = [
    "django.contrib.staticfiles",
    "csp",
    "django_htmx",
    "researchassist",
    "researchassist.memory",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]
ROOT_URLCONF = "researchassist.urls"
WSGI_APPLICATION = "researchassist.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {"context_processors": ["django.template.context_processors.request"]},
    }
]

DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": DATABASE_FILE,
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            # A transaction that reads first and writes later fails at once under DEFERRED,
            # whatever the timeout; IMMEDIATE waits for its turn.
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            # FULL: a commit survives a power cut too, which "nothing said is lost" asks for.
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-16000;",
        },
        # A file, because tests use threads and second processes.
        "TEST": {"NAME": DATA_DIR / "test.sqlite3"},
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

USE_TZ = True
TIME_ZONE = _time_zone()
LANGUAGE_CODE = "en"
USE_I18N = False

STATIC_URL = "static/"
# Served straight from the packages: no collectstatic step between clone and page.
WHITENOISE_USE_FINDERS = True

# A long question is refused by the turn with a sentence, not by the parser with a 400.
DATA_UPLOAD_MAX_MEMORY_SIZE = 20_000_000

CSRF_COOKIE_SAMESITE = "Strict"
CSRF_FAILURE_VIEW = "researchassist.chat.csrf.csrf_failure"
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
        "base-uri": ["'none'"],
    }
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"terminal": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["terminal"], "level": "WARNING"},
    "loggers": {
        "researchassist": {"level": RESEARCHASSIST.log_level},
        # The SDK's debug lines hold whole requests; no option of ours turns them on.
        "openai": {"level": "WARNING"},
        "httpx2": {"level": "WARNING"},
        "httpcore2": {"level": "WARNING"},
    },
}
