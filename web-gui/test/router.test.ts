// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { fragmentOf, placeOf, type Place } from "../src/router";

it.each<Place>([
  { view: "ports", target: undefined },
  { view: "network", target: { kind: "port", id: "of:0000000000000001/5" } },
  { view: "journal", target: { kind: "endpoint", id: "h 1/<b>vm/0" } },
])("finds back to %j", (place) => {
  expect(placeOf(fragmentOf(place), "network")).toEqual(place);
});

it.each(["", "#", "#nonsense", "#ports/nonsense/1", "#ports/port", "#%E0%A4%A"])(
  "does without a place in %s",
  (fragment) => {
    expect(placeOf(fragment, "endpoints").target).toBeUndefined();
  },
);
