"""Take the pictures of the pages anew: ``python docs/pictures.py``.

They are of the demonstration's simulated campaign. It needs the extra ``browser`` and chromium.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

PICTURES = Path(__file__).parent / "_static/pages"
CHROMIUM = "/usr/bin/chromium"
SERVE = [str(Path(sys.executable).with_name("roundbook")), "serve", "--demo", "--port", "0"]
DESK, PHONE = {"width": 1120, "height": 900}, {"width": 390, "height": 844}
TASK, ROUND = "/task?task=simulated", "/round?task=simulated&round=round1"
PAGES: dict[str, tuple[str, Any, Any]] = {
    "task-desk": (TASK, DESK, "light"),
    "task-phone": (TASK, PHONE, "light"),
    "task-phone-dark": (TASK, PHONE, "dark"),
    "round-desk-dark": (ROUND, DESK, "dark"),
}


def main() -> None:
    """Serve the demonstration's record on loopback, and take a picture of some of its pages."""
    with subprocess.Popen(SERVE, stderr=subprocess.PIPE, text=True) as service:  # noqa: S603
        assert service.stderr is not None
        serving = next(line for line in service.stderr if line.startswith("Serving on"))
        with sync_playwright() as playwright:
            # Without its sandbox, which root may not have; it opens our own pages only.
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            for name, (path, viewport, colours) in PAGES.items():
                page = browser.new_context(viewport=viewport, color_scheme=colours).new_page()
                page.goto(serving.split()[2] + path, wait_until="networkidle")
                page.screenshot(path=PICTURES / f"{name}.png", full_page=True)
        service.terminate()


if __name__ == "__main__":
    main()
