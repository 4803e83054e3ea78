// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Listener } from "../src/live/source";
import { EventStream, type Refusal } from "../src/live/stream";

/** An EventSource whose other end is the test. */
class FakeSource extends EventTarget {
  static readonly CLOSED = 2;
  static readonly opened: FakeSource[] = [];
  readyState = 1;

  constructor(readonly address: string) {
    super();
    FakeSource.opened.push(this);
  }

  close(): void {
    this.readyState = FakeSource.CLOSED;
  }

  send(kind: string, content: unknown, lastEventId = ""): void {
    this.dispatchEvent(new MessageEvent(kind, { data: JSON.stringify(content), lastEventId }));
  }

  fail(readyState: number): void {
    this.readyState = readyState;
    this.dispatchEvent(new Event("error"));
  }
}

const received: [string, unknown][] = [];
const problems: (string | undefined)[] = [];
const listener: Listener = {
  receive: (kind, content) => void received.push([kind, content]),
  failed: (problem) => void problems.push(problem),
};

const streamThatIs = (refusal: Refusal, missing = vi.fn()) => {
  const stream = new EventStream("/v1/stream", listener, () => Promise.resolve(refusal), missing);
  return { stream, missing, source: FakeSource.opened.at(-1) as FakeSource };
};

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("EventSource", FakeSource);
  received.length = problems.length = FakeSource.opened.length = 0;
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("passes events on, and is live after the clock event", () => {
  const { source } = streamThatIs({ kind: "none" });
  source.send("hosts", { rows: [] });
  expect([received, problems]).toEqual([[["hosts", { rows: [] }]], []]);
  source.send("time", { at: "2026-01-01T00:00:00Z", storeFault: null });
  expect(problems).toEqual([undefined]);
});

it("leaves it to the browser to resume a lost connection", async () => {
  const { source } = streamThatIs({ kind: "none" });
  source.fail(0);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(problems[0]).toContain("lost");
  expect(FakeSource.opened).toHaveLength(1);
});

it("reopens a refused stream from its last event on, and shows the reason", async () => {
  const { source } = streamThatIs({ kind: "refused", why: "Too many read it." });
  source.send("time", { at: "2026-01-01T00:00:00Z", storeFault: null }, "a.7.3");
  source.fail(FakeSource.CLOSED);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(problems.at(-1)).toBe("Too many read it.");
  expect(FakeSource.opened.at(-1)?.address).toBe("/v1/stream?lastEventId=a.7.3");
});

it("gives up where the controller has no stream", async () => {
  const { source, missing } = streamThatIs({ kind: "missing" });
  source.fail(FakeSource.CLOSED);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(missing).toHaveBeenCalledOnce();
  expect(FakeSource.opened).toHaveLength(1);
});

it("retries a stream that existed: a starting controller has none yet", async () => {
  const { source, missing } = streamThatIs({ kind: "missing" });
  source.send("time", { at: "2026-01-01T00:00:00Z", storeFault: null }, "a.7.3");
  source.fail(FakeSource.CLOSED);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(missing).not.toHaveBeenCalled();
  expect(problems.at(-1)).toContain("starting");
  expect(FakeSource.opened).toHaveLength(2);
});

it("does not reopen after it was stopped", async () => {
  const { stream, source } = streamThatIs({ kind: "none" });
  source.fail(FakeSource.CLOSED);
  stream.stop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(FakeSource.opened).toHaveLength(1);
});
