"""The JSON schemas of the specification's section 3, for checking what the stores hand out."""

import json
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

_SCHEMAS = json.loads((Path(__file__).parent / "schemas" / "records.json").read_text(encoding="utf-8"))


def problems(shape: str, value: Any) -> list[str]:
    """What is wrong with `value` as a record of that shape; formats are checked too."""
    schema = {**_SCHEMAS, "$ref": f"#/$defs/{shape}"}
    validator = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    return [error.message for error in validator.iter_errors(json.loads(json.dumps(value)))]
