// SPDX-License-Identifier: Apache-2.0
import type { Contents, Kind } from "./events";
import type { Listener, Source } from "./source";

const KINDS: readonly Kind[] = [
  "topology",
  "tenants",
  "hosts",
  "findings",
  "cluster",
  "ports",
  "endpoints",
  "flows",
  "journal",
  "time",
];

const RETRY_MILLIS = 2000;
const LOST = "The connection is lost; trying again.";
const GONE = "The controller does not serve Sluice now; it may be starting.";

/** Why the stream was refused. */
export type Refusal = { kind: "none" } | { kind: "missing" } | { kind: "refused"; why: string };

function reasonOf(refusal: Refusal): string {
  return refusal.kind === "refused" ? refusal.why : refusal.kind === "missing" ? GONE : LOST;
}

/**
 * Events as the controller pushes them. A connection that breaks is resumed by the browser itself, from
 * the last event on; one that was refused is probed, and reopened.
 */
export class EventStream implements Source {
  private events: EventSource | undefined;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private stopped = false;
  /** Of the last event, to resume where the browser does not do so itself. */
  private last = "";
  /** What has served a stream and is missing will be back: a controller that starts has none yet. */
  private hasServed = false;

  /**
   * Opens it.
   *
   * @param probe finds the reason of a refusal, which an EventSource does not report
   * @param missing is called once if the controller has never had a stream
   */
  constructor(
    private readonly address: string,
    private readonly listener: Listener,
    private readonly probe: () => Promise<Refusal>,
    private readonly missing: () => void,
  ) {
    this.open();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.retry);
    this.events?.close();
  }

  private open(): void {
    const resumed = this.last === "" ? "" : `?lastEventId=${encodeURIComponent(this.last)}`;
    const events = new EventSource(this.address + resumed);
    this.events = events;
    for (const kind of KINDS) {
      events.addEventListener(kind, (event: MessageEvent<string>) => {
        this.last = event.lastEventId;
        this.take(kind, event.data);
      });
    }
    events.addEventListener("error", () => {
      if (events.readyState === EventSource.CLOSED) {
        void this.refused();
      } else {
        this.listener.failed(LOST);
      }
    });
  }

  private take<K extends Kind>(kind: K, data: string): void {
    this.hasServed = true;
    this.listener.receive(kind, JSON.parse(data) as Contents[K]);
    // The controller's clock comes after all that it has to send first.
    if (kind === "time") {
      this.listener.failed(undefined);
    }
  }

  private async refused(): Promise<void> {
    const refusal = await this.probe();
    if (this.stopped) {
      return;
    }
    if (refusal.kind === "missing" && !this.hasServed) {
      this.stop();
      this.missing();
      return;
    }
    this.listener.failed(reasonOf(refusal));
    this.retry = setTimeout(() => this.open(), RETRY_MILLIS);
  }
}
