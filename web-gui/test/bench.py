#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What the page costs with 100 switches and 4000 endpoints that change five times a second.

Usage: bench.py [--json FILE] [--seconds N]. Exits with 1 if a bound is exceeded.
"""

import argparse
import gzip
import json
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1]
CHROMIUM = "/usr/bin/chromium"
TOOLS = PAGE.parent / ".tools" / "playwright"
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
VIEWPORT = {"width": 1440, "height": 900}

SIZE_BYTES = 400_000
FIRST_PAINT_MILLIS = 1000
FRAMES_PER_SECOND = 30
SWITCHES = 100
READY_SECONDS = 30

# Counts frames, and when the first drawing of all SWITCHES switches is there.
COUNTING = """
  window.drawn = new Promise((resolve) => {
    const check = () => document.querySelectorAll(".node.switch").length >= SWITCHES
      ? requestAnimationFrame(() => resolve(performance.now())) : requestAnimationFrame(check);
    requestAnimationFrame(check);
  });
  window.countFrames = (millis) => new Promise((resolve) => {
    const begin = performance.now();
    let last = begin, frames = 0, longest = 0;
    const frame = (now) => {
      frames++;
      longest = Math.max(longest, now - last);
      last = now;
      if (now - begin < millis) requestAnimationFrame(frame);
      else resolve({ perSecond: 1000 * frames / (now - begin), longestMillis: longest });
    };
    requestAnimationFrame(frame);
  });
""".replace("SWITCHES", str(SWITCHES))


def compressed_bytes():
    """What a browser loads: all files that the page consists of, compressed."""
    files = [path for path in (PAGE / "target" / "page").rglob("*") if path.is_file()]
    return sum(len(gzip.compress(path.read_bytes(), 9)) for path in files)


class Recorded:
    """The page beside the recorded network, on a free port of the loopback."""

    def __enter__(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        vite = [PAGE / "node_modules" / "vite" / "bin" / "vite.js", "preview"]
        where = ["--config", "test/recorded/vite.config.ts", "--port", str(port), "--strictPort"]
        self._process = subprocess.Popen(
            ["node", *vite, *where], cwd=PAGE, stdout=subprocess.DEVNULL
        )
        address = f"http://127.0.0.1:{port}/onos/sluice/ui/"
        deadline = time.monotonic() + READY_SECONDS
        while True:
            try:
                with urllib.request.urlopen(address):
                    return address
            except OSError:
                if time.monotonic() > deadline or self._process.poll() is not None:
                    self.__exit__()
                    raise
                time.sleep(0.1)

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait()


def scrolled(page, millis):
    """Frames while the page is scrolled and something is pointed at."""
    counting = page.evaluate_handle("millis => ({frames: window.countFrames(millis)})", millis)
    end = time.monotonic() + millis / 1000
    step = 0
    while time.monotonic() < end:
        page.mouse.move(200 + 10 * (step % 90), 300 + 4 * (step % 70))
        page.mouse.wheel(0, 60 if step % 20 < 10 else -60)
        page.wait_for_timeout(50)
        step += 1
    return page.evaluate("held => held.frames", counting)


def measure(address, seconds):
    """Figures of one load of the page and of its views."""
    sys.path.append(str(TOOLS))
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        try:
            page = browser.new_page(viewport=VIEWPORT)
            errors = []
            page.on("pageerror", lambda error: errors.append(str(error)))
            page.add_init_script(COUNTING)
            page.goto(address)
            drawn = page.evaluate("window.drawn")
            paint = page.evaluate(
                "performance.getEntriesByName('first-contentful-paint')[0].startTime"
            )
            devtools = browser.new_browser_cdp_session()
            views = {}
            for view in ("Network", "Endpoints", "Ports", "Tenants", "Journal"):
                page.get_by_role("navigation").get_by_role("link", name=view).click()
                page.wait_for_timeout(1000)
                before, begin = cpu_seconds(devtools), time.monotonic()
                frames = scrolled(page, seconds * 1000)
                for kind, used in cpu_seconds(devtools).items():
                    share = (used - before[kind]) / (time.monotonic() - begin)
                    frames[f"{kind}CpuShare"] = share
                views[view] = frames
            heap = page.evaluate("performance.memory.usedJSHeapSize")
            if errors:
                raise SystemExit("the page failed: " + "; ".join(errors))
            return {
                "firstPaintMillis": paint,
                "drawnMillis": drawn,
                "heapMegabytes": heap / 1e6,
                "views": views,
            }
        finally:
            browser.close()


def cpu_seconds(devtools):
    """CPU time so far of what runs the page (renderer), and of what draws it (GPU)."""
    used = {"renderer": 0.0, "GPU": 0.0}
    for process in devtools.send("SystemInfo.getProcessInfo")["processInfo"]:
        if process["type"] in used:
            used[process["type"]] += process["cpuTime"]
    return used


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--json", type=Path)
    options.add_argument("--seconds", type=int, default=8)
    given = options.parse_args()
    with Recorded() as address:
        figures = measure(address, given.seconds)
    figures["compressedBytes"] = compressed_bytes()
    slowest = min(view["perSecond"] for view in figures["views"].values())
    bounds = [
        ("size, compressed", figures["compressedBytes"] / 1000, "kB", SIZE_BYTES / 1000, True),
        ("first paint", figures["firstPaintMillis"], "ms", FIRST_PAINT_MILLIS, True),
        ("network drawn", figures["drawnMillis"], "ms", None, True),
        ("frames, slowest view", slowest, "/s", FRAMES_PER_SECOND, False),
    ]
    holds = True
    for name, value, unit, bound, is_upper in bounds:
        is_met = bound is None or (value <= bound if is_upper else value >= bound)
        holds &= is_met
        wanted = "" if bound is None else f"   {'<=' if is_upper else '>='} {bound:g} {unit}"
        print(f"{name:24}{value:9.1f} {unit:4}{wanted}{'' if is_met else '   EXCEEDED'}")
    for name, view in figures["views"].items():
        print(
            f"  {name:12}{view['perSecond']:6.1f} frames/s,"
            f" longest {view['longestMillis']:4.0f} ms,"
            f" CPU {100 * view['rendererCpuShare']:.0f} % page,"
            f" {100 * view['GPUCpuShare']:.0f} % drawing"
        )
    print(f"  heap {figures['heapMegabytes']:.0f} MB")
    if given.json:
        given.json.write_text(json.dumps(figures, indent=2) + "\n")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
