// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { chartedPorts, shareLines, WHOLE_NETWORK } from "../src/charts/shares";
import { Recorder } from "../src/live/recorder";
import { State } from "../src/live/state";
import type { RateMoment } from "../src/model";
import { endpoint, port, S1, tenant } from "./builders";

const BEGIN = Date.parse("2026-01-01T00:00:00Z");
const PORT = `${S1}/5`;

/** Reports an endpoint's rate and drops at a second. */
function report(recorder: Recorder, state: State, second: number, mbps: number, dropped = 0): void {
  const limits = [{ port: PORT, rateBitsPerSecond: 20e6, ceShare: 0 }];
  const rows = [
    endpoint("h1/vm0", { deliveredBitsPerSecond: mbps * 1e6, droppedPackets: dropped, limits }),
  ];
  state.apply("endpoints", { complete: true, rows, gone: [] });
  const congested = port({ congested: true, unitShareBitsPerSecond: 10e6 });
  state.apply("ports", { complete: true, rows: [congested], gone: [] });
  state.apply("time", { at: new Date(BEGIN + second * 1000).toISOString(), storeFault: null });
  recorder.record(state);
}

it("records once for each report of the clock", () => {
  const [recorder, state] = [new Recorder(), new State()];
  report(recorder, state, 0, 1);
  report(recorder, state, 0, 2);
  report(recorder, state, 1, 3);
  expect(recorder.endpointRates.of("h1/vm0")).toEqual([1e6, 3e6]);
  expect(recorder.moments).toHaveLength(2);
});

it("derives drops per second, and none from restarted counters", () => {
  const [recorder, state] = [new Recorder(), new State()];
  report(recorder, state, 0, 1, 500);
  expect(recorder.dropsPerSecond("h1/vm0")).toBe(0);
  report(recorder, state, 2, 1, 2500);
  expect(recorder.dropsPerSecond("h1/vm0")).toBe(1000);
  report(recorder, state, 3, 1, 10);
  expect(recorder.dropsPerSecond("h1/vm0")).toBe(0);
  expect(recorder.dropsPerSecond("gone")).toBe(0);
});

it("restarts when the controller's clock was set back", () => {
  const [recorder, state] = [new Recorder(), new State()];
  report(recorder, state, 7200, 1, 0);
  report(recorder, state, 7201, 1, 5000);
  report(recorder, state, 0, 2, 5000);
  expect(recorder.dropsPerSecond("h1/vm0")).toBe(0);
  report(recorder, state, 1, 3, 5300);
  expect(recorder.dropsPerSecond("h1/vm0")).toBe(300);
  expect(recorder.moments.map((moment) => moment?.at)).toEqual([BEGIN / 1000, BEGIN / 1000 + 1]);
});

it("draws shares beside what weights came to, with a gap where nothing was reported", () => {
  const [recorder, state] = [new Recorder(), new State()];
  state.apply("tenants", { rows: [tenant("t1", 2)] });
  report(recorder, state, 0, 18);
  state.apply("tenants", { rows: [tenant("t1", 3)] });
  report(recorder, state, 60, 29);
  expect(chartedPorts(recorder.moments)).toEqual([PORT]);
  const { at, lines } = shareLines(recorder.moments, PORT, new Map([["t1", "tenant-0"]]));
  expect(at).toHaveLength(3);
  expect([...at].sort((a, b) => a - b)).toEqual(at);
  expect(lines).toEqual([
    { label: "t1", colour: "tenant-0", values: [18e6, null, 29e6] },
    { label: "t1 by weight", colour: "tenant-0", isDashed: true, values: [20e6, null, 30e6] },
  ]);
  const whole = shareLines(recorder.moments, WHOLE_NETWORK, new Map());
  expect(whole.lines.map(({ label }) => label)).toEqual(["t1"]);
});

it("draws no weight of an unknown tenant", () => {
  const [recorder, state] = [new Recorder(), new State()];
  report(recorder, state, 0, 18);
  const { lines } = shareLines(recorder.moments, PORT, new Map());
  expect(lines.map(({ label }) => label)).toEqual(["t1"]);
});

it("drops samples older than the chart", () => {
  const [recorder, state] = [new Recorder(), new State()];
  for (let second = 0; second <= 3700; second++) {
    report(recorder, state, second, 1);
  }
  expect(recorder.moments).toHaveLength(3601);
});

/** What the controller kept of a second. */
function kept(second: number): RateMoment {
  const rates = [
    { tenant: "t1", deliveredBitsPerSecond: 10e6 + second * 1000, dueByWeightBitsPerSecond: 20e6 },
  ];
  return {
    time: new Date(BEGIN + second * 1000).toISOString(),
    tenants: rates,
    ports: [{ port: PORT, capacityBitsPerSecond: 50e6, loadBitsPerSecond: 49e6, tenants: rates }],
  };
}

it("goes on from what the controller kept, once", () => {
  const [recorder, state] = [new Recorder(), new State()];
  state.apply("tenants", { rows: [tenant("t1", 2)] });
  report(recorder, state, 3600, 18);
  recorder.precede([3580, 3590, 3595, 3600, 3605].map(kept));
  expect(recorder.moments.map((moment) => moment?.at ?? null)).toEqual(
    [3580, 3590, 3595, 3600].map((second) => BEGIN / 1000 + second),
  );
  const { lines } = shareLines(recorder.moments, PORT, new Map());
  expect(lines.map(({ values }) => values)).toEqual([
    [13.58e6, 13.59e6, 13.595e6, 18e6],
    [20e6, 20e6, 20e6, 20e6],
  ]);
  expect(recorder.since(5)).toHaveLength(2);
});

it("shows where the controller kept nothing", () => {
  const [recorder, state] = [new Recorder(), new State()];
  recorder.precede([0, 5, 60].map(kept));
  expect(recorder.moments.map((moment) => moment !== undefined)).toEqual([true, true, false, true]);
  report(recorder, state, 100, 18);
  expect(recorder.moments.at(-1)?.at).toBe(BEGIN / 1000 + 100);
});
