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
  expect(portSeverity(port({ loadMbps: 45 }))).toBe("busy");
  expect(portSeverity(port({ loadMbps: 45, congested: true }))).toBe("congested");
  expect(portSeverity(port({ loadMbps: 45, capacityMbps: 0 }))).toBe("quiet");
});

it("puts ports of concern first, and keeps the order while loads vary a little", () => {
  const ids = ["a", "b", "c", "d", "e"];
  const ports = [
    port({ id: "a", loadMbps: 20.1 }),
    port({ id: "b", loadMbps: 20.4 }),
    port({ id: "c", loadMbps: 40 }),
    port({ id: "d", loadMbps: 49, congested: true }),
    port({ id: "e", loadMbps: 50, congested: true }),
  ];
  const rank = (one: { id: string }) => ids.indexOf(one.id);
  expect(byConcern(ports, rank).map(({ id }) => id)).toEqual(["d", "e", "c", "a", "b"]);
});

it("describes the state of a port", () => {
  expect(portText(port())).toBe("free");
  expect(portText(port({ estimated: true }))).toBe("free (path estimated)");
  const congested = { congested: true, activeEndpoints: 4, activeWeight: 5, unitShareMbps: 10 };
  expect(portText(port(congested))).toBe("4 endpoints of weight 5 get 10 Mbit/s per weight 1");
  expect(portText(port({ ...congested, activeEndpoints: 1, estimated: true }))).toBe(
    "1 endpoint of weight 5 gets 10 Mbit/s per weight 1, path estimated",
  );
  expect(loadText(port({ loadMbps: 9.96 }))).toBe("9.96 of 50 Mbit/s");
});

it("names all who send through a port by one endpoint's explanation", () => {
  const reason = {
    port: "p",
    capacityMbps: 50,
    loadMbps: 50,
    ceShare: 0.1,
    unitShareMbps: 10,
    binding: true,
    limitMbps: 20,
    deliveredMbps: 19,
    dueMbps: 20,
    dueOfTwiceTheWeightMbps: 28,
    users: [
      { endpoint: "h2/vm0", tenant: "t2", weight: 3, deliveredMbps: 29 },
      { endpoint: "h3/vm0", tenant: "t2", weight: 3, deliveredMbps: 1 },
    ],
    furtherUsers: 4,
    furtherMbps: 0.5,
  };
  const found = competitors("p", explanation({ ports: [reason] }));
  expect(found?.users.map((user) => [user.endpoint, user.weight, user.deliveredMbps])).toEqual([
    ["h2/vm0", 3, 29],
    ["h1/vm0", 2, 19],
    ["h3/vm0", 3, 1],
  ]);
  expect(found?.furtherUsers).toBe(4);
  expect(competitors("another", explanation({ ports: [reason] }))).toBeUndefined();
});

it("lists the endpoints that a port limits, those at their limits first", () => {
  const limits = [{ port: "p", rateMbps: 5, ceShare: 0 }];
  const all = [
    endpoint("h1/vm0"),
    endpoint("h2/vm0", { limits, deliveredMbps: 4 }),
    endpoint("h3/vm0", { limits, deliveredMbps: 3, heldBack: true }),
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
