// SPDX-License-Identifier: Apache-2.0
import { Rest, restRoot } from "./api";
import type { Context } from "./context";
import type { Receive } from "./live/events";
import { LATE_AFTER_MILLIS, type Contact } from "./live/freshness";
import { Polling } from "./live/poll";
import { Recorder } from "./live/recorder";
import type { Listener } from "./live/source";
import { State } from "./live/state";
import { EventStream, type Refusal } from "./live/stream";
import type { Access, RateMoment } from "./model";
import { Names } from "./names";
import { Page } from "./page";
import type { Target } from "./router";
import { tenantColours } from "./view/endpoints";

const RETRY_MILLIS = 2000;
/** Freshness is judged anew so often, also where nothing arrives. */
const JUDGE_MILLIS = 500;
const NOT_FOUND = 404;

// With the origin, for an address that was opened with user and password in it cannot be fetched.
const rest = new Rest(location.origin + restRoot(location.pathname));

/** What panels work with, as it is at this moment. */
class Live implements Context {
  readonly rest = rest;
  readonly state = new State();
  readonly recorder = new Recorder();
  names = new Names(undefined, () => undefined);
  colours: ReadonlyMap<string, string> = new Map();
  /** By this machine's steady clock. */
  receivedAt: number | undefined;

  now(): number {
    // It stops where the controller does not report: countdowns would go on without it.
    return this.receivedAt === undefined
      ? Date.now()
      : this.state.at + Math.min(performance.now() - this.receivedAt, LATE_AFTER_MILLIS);
  }

  open(target: Target): void {
    page.open(target);
  }
}

const live = new Live();
const page = new Page(live);
const contact: Contact = { by: "stream", problem: undefined, receivedAt: undefined };
let isDrawing = false;

/** However many events arrive, the page is drawn once a frame. */
function draw(): void {
  if (!isDrawing) {
    isDrawing = true;
    requestAnimationFrame(() => {
      isDrawing = false;
      page.update();
    });
  }
}

const receive: Receive = (kind, content) => {
  live.state.apply(kind, content);
  if (kind === "topology") {
    live.names = new Names(live.state.topology, (port) => live.state.ports.get(port)?.name);
  } else if (kind === "tenants") {
    live.colours = tenantColours(live.state.tenants);
  } else if (kind === "time") {
    live.receivedAt = performance.now();
    contact.receivedAt = live.receivedAt;
    live.recorder.record(live.state);
  }
  draw();
};

const listener: Listener = {
  receive,
  failed: (problem) => {
    contact.problem = problem;
    page.showContact(contact);
  },
};

/** Why the controller refuses its stream; whether the user may see it may have changed, too. */
async function probeStream(): Promise<Refusal> {
  const { status, why } = await rest.probe("stream");
  if (status === NOT_FOUND) {
    return { kind: "missing" };
  }
  return why === "" ? { kind: "none" } : { kind: "refused", why };
}

async function start(): Promise<void> {
  let access: Access;
  try {
    access = await rest.read<Access>("access");
  } catch (error) {
    listener.failed(error instanceof Error ? error.message : String(error));
    setTimeout(() => void start(), RETRY_MILLIS);
    return;
  }
  receive("access", access);
  page.start();
  void recall();
  new EventStream(`${rest.root}stream`, listener, probeStream, () => {
    contact.by = "polling";
    new Polling(rest, access, listener);
  });
}

/** What was before the page was opened; charts begin now without it. */
async function recall(): Promise<void> {
  try {
    const { moments } = await rest.read<{ moments: RateMoment[] }>("history");
    live.recorder.precede(moments);
    draw();
  } catch {
    // The stream says what is wrong.
  }
}

setInterval(() => page.showContact(contact), JUDGE_MILLIS);
void start();
