// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { History, linePath } from "../src/live/history";

it("keeps the last values of present series", () => {
  const history = new History(2);
  history.add(new Map([["a", 1]]));
  history.add(
    new Map([
      ["a", 2],
      ["b", 5],
    ]),
  );
  history.add(
    new Map([
      ["a", 3],
      ["b", 6],
    ]),
  );
  expect(history.of("a")).toEqual([2, 3]);
  expect(history.of("b")).toEqual([5, 6]);
  history.add(new Map([["b", 7]]));
  expect(history.of("a")).toEqual([]);
});

it("draws from the right edge and never beyond the upper and lower one", () => {
  expect(linePath([0, 50, 500, -5], 5, 50, 100, 20)).toBe(
    "M25.0 20.0L50.0 0.0L75.0 0.0L100.0 20.0",
  );
  expect(linePath([1], 5, 50, 100, 20)).toBe("");
  expect(linePath([1, 2], 5, 0, 100, 20)).toBe("");
});
