// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { compareKeys, Rows, State } from "../src/live/state";
import { entry, port } from "./builders";

describe("rows", () => {
  const rows = () => new Rows<{ id: string; value: number }, string>(({ id }) => id);

  it("replaces its state by a complete event", () => {
    const some = rows();
    some.apply({
      complete: true,
      rows: [
        { id: "a", value: 1 },
        { id: "b", value: 1 },
      ],
      gone: [],
    });
    some.apply({ complete: true, rows: [{ id: "b", value: 2 }], gone: [] });
    expect([...some.values()]).toEqual([{ id: "b", value: 2 }]);
  });

  it("merges changes into its state", () => {
    const some = rows();
    some.apply({
      complete: true,
      rows: [
        { id: "a", value: 1 },
        { id: "b", value: 1 },
      ],
      gone: [],
    });
    some.apply({ complete: false, rows: [{ id: "c", value: 3 }], gone: ["a", "never was"] });
    expect([...some.values()].map(({ id }) => id)).toEqual(["b", "c"]);
  });

  it("ranks by name, numbers by value, also when one takes another's place", () => {
    const some = rows();
    const row = (id: string) => ({ id, value: 0 });
    some.apply({ complete: true, rows: [row("h10/vm0"), row("h9/vm0")], gone: [] });
    expect([some.rank(row("h9/vm0")), some.rank(row("h10/vm0"))]).toEqual([0, 1]);
    some.apply({ complete: true, rows: [row("h9/vm0"), row("h1/vm0")], gone: [] });
    expect([some.rank(row("h1/vm0")), some.rank(row("h9/vm0"))]).toEqual([0, 1]);
  });
});

it("compares numbers as such, and numbers within names", () => {
  expect([10, 9, 100].sort(compareKeys)).toEqual([9, 10, 100]);
  expect(["p1/10", "p1/9"].sort(compareKeys)).toEqual(["p1/9", "p1/10"]);
});

it("keeps the journal newest first, without repeated entries of a resumed stream", () => {
  const state = new State();
  state.apply("journal", {
    complete: true,
    rows: [entry({ sequence: 2 }), entry({ sequence: 1 })],
  });
  state.apply("journal", {
    complete: false,
    rows: [entry({ sequence: 3 }), entry({ sequence: 2 })],
  });
  expect(state.journal.map(({ sequence }) => sequence)).toEqual([3, 2, 1]);
});

it("clears the journal when the controller restarts", () => {
  const state = new State();
  state.apply("journal", { complete: true, rows: [entry({ sequence: 900 })] });
  state.apply("journal", { complete: true, rows: [entry({ sequence: 1 })] });
  expect(state.journal.map(({ sequence }) => sequence)).toEqual([1]);
});

it("keeps the controller's clock", () => {
  const state = new State();
  state.apply("ports", { complete: true, rows: [port()], gone: [] });
  expect(state.at).toBe(0);
  state.apply("time", { at: "2026-01-01T00:00:00.250Z", storeFault: null });
  expect(state.at).toBe(Date.parse("2026-01-01T00:00:00.250Z"));
});
