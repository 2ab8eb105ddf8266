"""How long the start takes: `manage.py check` (which must not import torch), and the first page.

python -m benchmarks.startup [--runs 5]
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request
from statistics import median

from .environment import ROOT, throwaway


def check() -> float:
    """Seconds of one `manage.py check`."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "manage.py", "check"], cwd=ROOT, check=True, capture_output=True)
    return time.perf_counter() - started


def imports_torch() -> bool:
    """Whether a check imports torch."""
    code = (
        "import sys, django; from django.core.management import call_command; django.setup(); "
        "call_command('check', verbosity=0); print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout.strip().endswith("True")


def first_page() -> tuple[float, float]:
    """Seconds from starting the server to its address, and to the whole first page."""
    started = time.perf_counter()
    server = subprocess.Popen(
        [sys.executable, "-u", "manage.py", "serve", "--port", "0"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert server.stdout is not None
        found = re.search(r"http://\S+", server.stdout.readline())
        assert found is not None
        listening = time.perf_counter() - started
        with urllib.request.urlopen(found.group(), timeout=60) as reply:
            reply.read()
        return listening, time.perf_counter() - started
    finally:
        server.terminate()
        server.wait(30)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    folder = throwaway()
    assert os.environ["RESEARCHASSIST_DATA_DIR"] == str(folder)
    check()
    checks = [check() for _ in range(runs)]
    pages = [first_page() for _ in range(runs)]
    print("\n| start | median s | worst s |\n| --- | ---: | ---: |")
    torch = "yes" if imports_torch() else "no"
    rows = {
        f"manage.py check (torch imported: {torch})": checks,
        "serve: address printed": [page[0] for page in pages],
        "serve: first page": [page[1] for page in pages],
    }
    for name, values in rows.items():
        print(f"| {name} | {median(values):.2f} | {max(values):.2f} |")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
