// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import {
  address,
  ago,
  bytes,
  count,
  percent,
  rate,
  rateOf,
  significant,
  timeOfDay,
  until,
} from "../src/format";

describe("rate", () => {
  it.each([
    [null, "–"],
    [0, "0"],
    [50e6, "50 Mbit/s"],
    [12.5e6, "12.5 Mbit/s"],
    [49_123_456, "49.1 Mbit/s"],
    [999.96e6, "1000 Mbit/s"],
    [1e9, "1 Gbit/s"],
    [2.5e12, "2.5 Tbit/s"],
    [64_000, "64 kbit/s"],
    [1, "1 bit/s"],
    [0.1, "0.1 bit/s"],
  ])("writes %s as %s", (bitsPerSecond, text) => {
    expect(rate(bitsPerSecond)).toBe(text);
  });
});

it("writes shares in percent", () => {
  expect(percent(0)).toBe("0 %");
  expect(percent(0.3333)).toBe("33 %");
  expect(percent(0.0333)).toBe("3.3 %");
  expect(percent(0.00012)).toBe("< 0.1 %");
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
  expect(until("2026-01-01T00:00:01.040Z", now)).toBe("in 1.0 s");
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

it("writes a part of a rate with one unit where it is the same", () => {
  expect(rateOf(9.4e6, 50e6)).toBe("9.4 of 50 Mbit/s");
  expect(rateOf(0, 50e6)).toBe("0 of 50 Mbit/s");
  expect(rateOf(940e6, 1e9)).toBe("940 Mbit/s of 1 Gbit/s");
});

it("groups the digits of counts", () => {
  expect([0, 999, 4000, 1234567].map(count)).toEqual([
    "0",
    "999",
    "4\u202f000",
    "1\u202f234\u202f567",
  ]);
});

it.each([
  ["10.0.0.1", "10.0.0.1"],
  ["fd00:10:0:0:0:0:0:1", "fd00:10::1"],
  ["FD00:0:0:1:0:0:0:0", "fd00:0:0:1::"],
  ["2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"],
  ["not:an:address", "not:an:address"],
])("writes the address %s as %s", (given, written) => {
  expect(address(given)).toBe(written);
});
