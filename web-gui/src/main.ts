// SPDX-License-Identifier: Apache-2.0
import { readExplanation, readSnapshot, restRoot } from "./api";
import { setClass, setText } from "./dom";
import { Page } from "./page";

const PERIOD_MILLIS = 1000;
const TIMEOUT_MILLIS = 5000;

const state = document.getElementById("state") as HTMLElement;
// With the origin, for an address that was opened with user and password in it cannot be fetched.
const root = location.origin + restRoot(location.pathname);
const page = new Page();

async function refresh(): Promise<void> {
  try {
    page.show(await readSnapshot(root, AbortSignal.timeout(TIMEOUT_MILLIS)), Date.now());
    await explain();
    setText(state, `Live, ${new Date().toLocaleTimeString()}`);
    setClass(state, "up");
    document.body.classList.remove("stale", "waiting");
  } catch (error) {
    // What was read last stays in view, and is shown as stale.
    setText(state, error instanceof Error ? error.message : String(error));
    setClass(state, "down");
    document.body.classList.add("stale");
  }
}

/** Asks anew why the endpoint that the panel is about gets what it gets. */
async function explain(): Promise<void> {
  const asked = page.why.asked();
  if (asked === undefined) {
    return;
  }
  try {
    page.why.show(await readExplanation(root, asked, AbortSignal.timeout(TIMEOUT_MILLIS)));
  } catch (error) {
    page.why.fail(error instanceof Error ? error.message : String(error));
  }
}

async function loop(): Promise<void> {
  for (;;) {
    const started = performance.now();
    // A hidden page does not poll.
    if (!document.hidden) {
      await refresh();
    }
    const remaining = PERIOD_MILLIS - (performance.now() - started);
    await new Promise((resolve) => setTimeout(resolve, Math.max(100, remaining)));
  }
}

void loop();
