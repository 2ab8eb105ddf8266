"""`make acceptance`: runs AC1 to AC20 and prints one line each, with its result and evidence.

The line names the command, the outcome and what was looked at. A live criterion whose needs (network,
a key) are not met here is SKIPPED with the reason, never passed; what was seen of it on loopback is named.
"""

import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent


class Collector:
    """Keeps the outcome and evidence of every test, by criterion."""

    def __init__(self) -> None:
        self.reports: dict[int, list[pytest.TestReport]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Called by pytest after each phase of each test."""
        name = Path(report.nodeid.split("::")[0]).name
        if name.startswith("test_ac") and (report.when == "call" or report.outcome != "passed"):
            self.reports.setdefault(int(name[7:9]), []).append(report)


def line(number: int, reports: list[pytest.TestReport]) -> str:
    """One criterion in one line."""
    if not reports:
        return f"AC{number:<2} SKIPPED  no test was run"
    file = reports[0].nodeid.split("::")[0]
    command = f"pytest {file}"
    failed = [report.nodeid.split("::")[-1] for report in reports if report.failed]
    if failed:
        return f"AC{number:<2} FAILED   {command}: {', '.join(failed)}"
    skipped = [str(report.longrepr[2]) for report in reports if report.skipped and report.longrepr]
    seen = [str(value) for report in reports for key, value in report.user_properties if key == "evidence"]
    if skipped:
        return f"AC{number:<2} SKIPPED  {command}: {skipped[0]} ({'; '.join(seen)})"
    return f"AC{number:<2} PASSED   {command}: {len(reports)} passed; {'; '.join(seen)}"


def main() -> int:
    """Runs the folder and prints the lines."""
    collector = Collector()
    code = pytest.main(["-qq", "--no-header", "--tb=short", str(FOLDER)], plugins=[collector])
    for number in range(1, 21):
        print(line(number, collector.reports.get(number, [])))
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
