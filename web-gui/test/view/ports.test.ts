// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import {
  byConcern,
  competitors,
  limitedAt,
  loadText,
  portSeverity,
  portText,
  queueText,
} from "../../src/view/ports";
import { endpoint, explanation, port } from "../builders";

it("distinguishes quiet, busy and congested ports", () => {
  expect(portSeverity(port())).toBe("quiet");
  expect(portSeverity(port({ loadBitsPerSecond: 45e6 }))).toBe("busy");
  expect(portSeverity(port({ loadBitsPerSecond: 45e6, congested: true }))).toBe("congested");
  expect(portSeverity(port({ loadBitsPerSecond: 45e6, capacityBitsPerSecond: 0 }))).toBe("quiet");
});

it("puts ports of concern first, and keeps the order while loads vary a little", () => {
  const ids = ["a", "b", "c", "d", "e"];
  const ports = [
    port({ id: "a", loadBitsPerSecond: 20.1e6 }),
    port({ id: "b", loadBitsPerSecond: 20.4e6 }),
    port({ id: "c", loadBitsPerSecond: 40e6 }),
    port({ id: "d", loadBitsPerSecond: 49e6, congested: true }),
    port({ id: "e", loadBitsPerSecond: 50e6, congested: true }),
  ];
  const rank = (one: { id: string }) => ids.indexOf(one.id);
  expect(byConcern(ports, rank).map(({ id }) => id)).toEqual(["d", "e", "c", "a", "b"]);
});

it("describes the state of a port", () => {
  expect(portText(port())).toBe("free");
  expect(portText(port({ estimated: true }))).toBe("free (path estimated)");
  const congested = {
    congested: true,
    activeEndpoints: 4,
    activeWeight: 5,
    unitShareBitsPerSecond: 10e6,
  };
  expect(portText(port(congested))).toBe("4 endpoints of weight 5 get 10 Mbit/s per weight 1");
  expect(portText(port({ ...congested, activeEndpoints: 1, estimated: true }))).toBe(
    "1 endpoint of weight 5 gets 10 Mbit/s per weight 1, path estimated",
  );
  expect(loadText(port({ loadBitsPerSecond: 9.96e6 }))).toBe("9.96 of 50 Mbit/s");
});

it("names all who send through a port by one endpoint's explanation", () => {
  const reason = {
    port: "p",
    capacityBitsPerSecond: 50e6,
    loadBitsPerSecond: 50e6,
    ceShare: 0.1,
    unitShareBitsPerSecond: 10e6,
    binding: true,
    limitBitsPerSecond: 20e6,
    deliveredBitsPerSecond: 19e6,
    dueBitsPerSecond: 20e6,
    dueOfTwiceTheWeightBitsPerSecond: 28e6,
    users: [
      { endpoint: "h2/vm0", tenant: "t2", weight: 3, deliveredBitsPerSecond: 29e6 },
      { endpoint: "h3/vm0", tenant: "t2", weight: 3, deliveredBitsPerSecond: 1e6 },
    ],
    furtherUsers: 4,
    furtherBitsPerSecond: 0.5e6,
  };
  const found = competitors("p", explanation({ ports: [reason] }));
  expect(
    found?.users.map((user) => [user.endpoint, user.weight, user.deliveredBitsPerSecond]),
  ).toEqual([
    ["h2/vm0", 3, 29e6],
    ["h1/vm0", 2, 19e6],
    ["h3/vm0", 3, 1e6],
  ]);
  expect(found?.furtherUsers).toBe(4);
  expect(competitors("another", explanation({ ports: [reason] }))).toBeUndefined();
});

it("lists the endpoints that a port limits, those at their limits first", () => {
  const limits = [{ port: "p", rateBitsPerSecond: 5e6, ceShare: 0 }];
  const all = [
    endpoint("h1/vm0"),
    endpoint("h2/vm0", { limits, deliveredBitsPerSecond: 4e6 }),
    endpoint("h3/vm0", { limits, deliveredBitsPerSecond: 3e6, heldBack: true }),
  ];
  expect(limitedAt("p", all).map(({ id }) => id)).toEqual(["h3/vm0", "h2/vm0"]);
});

it("shows a queue's known values", () => {
  const queues = {
    port: "p",
    lengthsFrom: "estimated",
    backlogPackets: 12,
    errorPackets: 3,
    bufferPackets: 100,
    thresholdPackets: 20,
    ageMillis: 0,
  } as const;
  expect(queueText(queues)).toBe("12 ± 3 of 100 packets, threshold 20");
  const unknown = { ...queues, errorPackets: 0, bufferPackets: null, thresholdPackets: null };
  expect(queueText(unknown)).toBe("12 packets");
});
