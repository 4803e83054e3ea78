// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { Names } from "../../src/names";
import {
  addressesText,
  concernText,
  endpointsByConcern,
  floods,
  limitedByText,
  lowestLimit,
  matches,
  dropsText,
  sendsText,
  waitsText,
  tenantColours,
  usedShare,
  wordsOf,
} from "../../src/view/endpoints";
import { totalsByTenant } from "../../src/view/tenants";
import { endpoint, S1, S2, tenant, twoSwitches } from "../builders";

it("shows what an endpoint sends beside its lowest limit", () => {
  expect(sendsText(endpoint("h1/vm0"))).toBe("0, not limited");
  const free = endpoint("h1/vm0", { limitBitsPerSecond: 50e6, deliveredBitsPerSecond: 3e6 });
  expect(sendsText(free)).toBe("3 of 50 Mbit/s");
  const limits = [{ port: `${S1}/5`, rateBitsPerSecond: 9.5e6, ceShare: 0.4 }];
  const held = { ...free, limits, deliveredBitsPerSecond: 0.94e6, heldBack: true };
  expect(sendsText(held)).toBe("940 kbit/s of 9.5 Mbit/s");
  expect(lowestLimit({ ...held, limitBitsPerSecond: 8e6 })).toBe(8e6);
  expect(lowestLimit({ ...held, limitBitsPerSecond: null })).toBeNull();
});

it("measures what is used of the limit that binds, not of the NIC", () => {
  const limits = [{ port: `${S1}/5`, rateBitsPerSecond: 9e6, ceShare: 0 }];
  const held = endpoint("h1/vm0", {
    limitBitsPerSecond: 50e6,
    limits,
    deliveredBitsPerSecond: 9e6,
  });
  expect(usedShare(held)).toBe(1);
  expect(usedShare({ ...held, limits: [] })).toBe(0.18);
  expect(usedShare(endpoint("h1/vm0", { deliveredBitsPerSecond: 9e6 }))).toBe(0);
});

it("shows which ports limit an endpoint, and to what where there are several", () => {
  const names = new Names(twoSwitches(), () => null);
  const first = { port: `${S1}/5`, rateBitsPerSecond: 12.5e6, ceShare: 0.4 };
  const second = { port: `${S2}/1`, rateBitsPerSecond: 20e6, ceShare: 0 };
  expect(limitedByText(endpoint("h1/vm0"), names)).toBe("–");
  expect(limitedByText(endpoint("h1/vm0", { limits: [first] }), names)).toBe("s1:5 -> switch 2");
  expect(limitedByText(endpoint("h1/vm0", { limits: [first, second] }), names)).toBe(
    "s1:5 -> switch 2 (12.5 Mbit/s), switch 2:1 (20 Mbit/s)",
  );
});

it("distinguishes a flood from throttled TCP, and from drops without throttling", () => {
  const held = endpoint("h1/vm0", { heldBack: true, deliveredBitsPerSecond: 12e6 });
  expect(floods(held, 3000)).toBe(true);
  expect(floods(held, 20)).toBe(false);
  expect(floods({ ...held, heldBack: false }, 3000)).toBe(false);
  expect([concernText(held, 3000), concernText(held, 0)]).toEqual(["floods", "held back"]);
  expect(concernText(endpoint("h1/vm0"), 0)).toBe("");
  const cutOff = endpoint("h2/vm0", { ips: [], refusedIps: ["10.0.0.2"] });
  expect(concernText(cutOff, 0)).toBe("address refused");
  expect(addressesText(cutOff)).toBe("10.0.0.2 (refused)");
  expect(matches(cutOff, ["10.0.0.2"])).toBe(true);
  const byConcern = endpointsByConcern(
    [held, cutOff],
    () => 3000,
    () => 0,
  );
  expect(byConcern.map(({ id }) => id)).toEqual([cutOff.id, held.id]);
});

it("does not show as nothing what no agent reports", () => {
  const one = endpoint("h1/vm0", {
    deliveredBitsPerSecond: null,
    backlogBytes: null,
    droppedPackets: null,
  });
  expect([sendsText(one), dropsText(one, 0), waitsText(one)]).toEqual(Array(3).fill("not known"));
  expect(concernText(one, 0)).toBe("no agent");
  expect(totalsByTenant([one]).get(one.tenant)?.deliveredBitsPerSecond).toBeNull();
});

it("puts floods first, then who is held back, then by size of the rate, then by name", () => {
  const ids = ["a", "b", "c", "d", "e"];
  const all = [
    endpoint("a", { deliveredBitsPerSecond: 0.02e6 }),
    endpoint("b", { deliveredBitsPerSecond: 21e6 }),
    endpoint("c", { deliveredBitsPerSecond: 22e6 }),
    endpoint("d", { deliveredBitsPerSecond: 1e6, heldBack: true }),
    endpoint("e", { deliveredBitsPerSecond: 1e6, heldBack: true }),
  ];
  const drops = (id: string) => (id === "e" ? 5000 : 0);
  const order = endpointsByConcern(all, drops, ({ id }) => ids.indexOf(id));
  expect(order.map(({ id }) => id)).toEqual(["e", "d", "b", "c", "a"]);
});

it("finds endpoints by any of their names, and addresses in either form", () => {
  const one = endpoint("h1/vm0", { ips: ["10.0.0.1", "fd00:0:0:0:0:0:0:1"], tenant: "Gold" });
  expect(["gold h1", "fd00::1", "10.0.0", "02:00"].every((t) => matches(one, wordsOf(t)))).toBe(
    true,
  );
  expect(matches(one, wordsOf("gold h2"))).toBe(false);
});

it("gives the default tenant no colour of its own, and others different ones", () => {
  const colours = tenantColours([tenant("default"), tenant("t1"), tenant("t2")]);
  expect([...colours.values()]).toEqual(["tenant-default", "tenant-0", "tenant-1"]);
});
