// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { ago, bytes, percent, rate, significant, timeOfDay, until } from "../src/format";

describe("rate", () => {
  it.each([
    [null, "–"],
    [0, "0"],
    [50, "50 Mbit/s"],
    [12.5, "12.5 Mbit/s"],
    [49.123456, "49.1 Mbit/s"],
    [999.96, "1000 Mbit/s"],
    [1000, "1 Gbit/s"],
    [2_500_000, "2.5 Tbit/s"],
    [0.064, "64 kbit/s"],
    [0.000001, "1 bit/s"],
    [0.0000001, "0.1 bit/s"],
  ])("writes %s as %s", (mbps, text) => {
    expect(rate(mbps)).toBe(text);
  });
});

it("writes shares in percent", () => {
  expect(percent(0)).toBe("0 %");
  expect(percent(0.3333)).toBe("33.3 %");
  expect(percent(0.00012)).toBe("0.012 %");
  expect(percent(1)).toBe("100 %");
});

it("writes bytes with their unit", () => {
  expect(bytes(0)).toBe("0 B");
  expect(bytes(999)).toBe("999 B");
  expect(bytes(400_000)).toBe("400 kB");
  expect(bytes(3_200_000)).toBe("3.2 MB");
});

it("shows how far away an instant is", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  expect(until("2026-01-01T00:00:00.300Z", now)).toBe("in 300 ms");
  expect(until("2026-01-01T00:00:12.900Z", now)).toBe("in 12 s");
  expect(until("2025-12-31T23:59:50Z", now)).toBe("10 s ago");
  expect(until("nonsense", now)).toBe("–");
});

it("keeps three significant digits", () => {
  expect(significant(1234.5)).toBe("1235");
  expect(significant(2)).toBe("2");
  expect(significant(-0.5)).toBe("-0.5");
});

describe("ago", () => {
  const now = Date.parse("2026-01-10T12:00:00Z");
  it.each([
    ["2026-01-10T11:59:59.500Z", "now"],
    ["2026-01-10T12:00:05Z", "now"],
    ["2026-01-10T11:59:00Z", "60 s ago"],
    ["2026-01-10T11:50:00Z", "10 min ago"],
    ["2026-01-10T07:00:00Z", "5 h ago"],
    ["2026-01-01T12:00:00Z", "9 days ago"],
    ["never", "–"],
  ])("shows %s as %s", (then, text) => {
    expect(ago(then, now)).toBe(text);
  });
});

it("shows the time of day to the millisecond", () => {
  expect(timeOfDay("2026-01-10T12:00:00.007Z")).toMatch(/^\d\d:00:00\.007$/);
  expect(timeOfDay("soon")).toBe("soon");
});
