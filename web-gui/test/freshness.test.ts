// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { freshness } from "../src/live/freshness";

const AT = { at: Date.parse("2026-01-01T00:00:00Z"), storeFault: null };
const NONE = { at: 0, storeFault: null };

it("waits until the controller has reported, and shows why", () => {
  const contact = { by: "stream", problem: undefined, receivedAt: undefined } as const;
  expect(freshness(contact, 0, NONE)).toEqual({ state: "waiting", text: "Connecting" });
  const refused = { ...contact, problem: "Not running. Activate it." };
  expect(freshness(refused, 0, NONE).text).toBe("Not running. Activate it.");
});

it("is live while the controller reports", () => {
  const contact = { by: "stream", problem: undefined, receivedAt: 1000 } as const;
  expect(freshness(contact, 3900, AT).state).toBe("live");
  expect(freshness({ ...contact, by: "polling" }, 3900, AT).text).toContain("polled");
});

it("is live while a stream is being resumed", () => {
  const contact = { by: "stream", problem: "The connection is lost", receivedAt: 1000 } as const;
  expect(freshness(contact, 2000, AT).state).toBe("live");
});

it("shows the age of its values once the controller no longer reports", () => {
  const contact = { by: "stream", problem: undefined, receivedAt: 1000 } as const;
  const stale = freshness(contact, 8000, AT);
  expect(stale.state).toBe("stale");
  expect(stale.text).toMatch(/^Not live: all below is of \d\d:00:00, 7 s ago\. The controller/);
  expect(freshness({ ...contact, problem: "Gone." }, 8000, AT).text).toMatch(/7 s ago\. Gone\.$/);
});

it("does not appear live where the controller is cut off from its cluster", () => {
  const contact = { by: "stream", problem: undefined, receivedAt: 1000 } as const;
  const cutOff = freshness(contact, 2000, { ...AT, storeFault: "no majority" });
  expect(cutOff.state).toBe("stale");
  expect(cutOff.text).toContain("cut off from its cluster");
  expect(cutOff.text).toContain("(no majority)");
});
