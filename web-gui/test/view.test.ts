// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import type { Endpoint, Flow, Host, Port, Snapshot, Tenant } from "../src/model";
import {
  arrivedShare,
  byConcern,
  byTenant,
  byUrgency,
  carriedText,
  flowSeverity,
  flowStateText,
  flowText,
  limitedByText,
  lowestLimit,
  memberText,
  portSeverity,
  portText,
  sendsText,
  summary,
  tenantColours,
  weightShare,
} from "../src/view";

const port = (changes: Partial<Port> = {}): Port => ({
  id: "of:0000000000000001/5",
  capacityMbps: 50,
  capacitySource: "configured",
  congested: false,
  estimated: false,
  ceShare: 0,
  loadMbps: 0,
  unitShareMbps: null,
  activeEndpoints: 0,
  activeWeight: 0,
  ...changes,
});

const tenant = (id: string, weight = 1): Tenant => ({
  id,
  weight,
  guaranteeMbps: 0,
  ceilingMbps: 0,
  receiveCeilingMbps: 0,
  ecn: "clear",
  members: [],
});

const endpoint = (id: string, ofTenant: string, limitMbps: number | null = null): Endpoint => ({
  id,
  host: id.split("/")[0] ?? "",
  interface: "vm0",
  mac: "02:00:00:00:01:01",
  ips: ["10.0.0.1"],
  tenant: ofTenant,
  attachment: null,
  limitMbps,
  limits: [],
  deliveredMbps: 0,
  backlogBytes: 0,
  droppedPackets: 0,
  heldBack: false,
});

const flow = (changes: Partial<Flow> = {}): Flow => ({
  id: 1,
  source: "10.0.0.1",
  sourcePort: 0,
  destination: "10.0.0.5",
  destinationPort: 5001,
  tenant: "t1",
  sizeBytes: 400_000,
  remainingBytes: 100_000,
  deadline: "2026-01-01T00:00:01Z",
  promised: true,
  promiseLost: false,
  state: "sending",
  ...changes,
});

it("puts urgent flows first, and of those that have ended the latest", () => {
  const at = (second: number) => `2026-01-01T00:00:0${String(second)}Z`;
  const flows = [
    flow({ id: 1, state: "met", deadline: at(1) }),
    flow({ id: 2, deadline: at(9) }),
    flow({ id: 3, state: "missed", deadline: at(2) }),
    flow({ id: 4, state: "waiting", deadline: at(5) }),
    flow({ id: 5, deadline: at(5) }),
  ];
  expect(byUrgency(flows).map((f) => f.id)).toEqual([4, 5, 2, 3, 1]);
});

it("distinguishes broken promises from deadlines that were never promised", () => {
  const severities = (["sending", "met", "missed"] as const).map((state) => [
    flowSeverity(flow({ state })),
    flowSeverity(flow({ state, promised: false })),
  ]);
  expect(severities).toEqual([
    ["quiet", "busy"],
    ["quiet", "busy"],
    ["congested", "busy"],
  ]);
  expect(flowStateText(flow({ state: "never-sent" }))).toBe("never sent");
  expect(flowStateText(flow({ promised: false }))).toBe("sending (not promised)");
  const lost = flow({ state: "missed", promised: false, promiseLost: true });
  expect(flowStateText(lost)).toBe("missed (promise lost)");
  expect(flowSeverity(lost)).toBe("congested");
});

it("shows a flow with its open ports, and what of it has arrived", () => {
  expect(flowText(flow())).toBe("10.0.0.1:* → 10.0.0.5:5001");
  expect(flowText(flow({ source: "fd00::1", sourcePort: 7 }))).toBe("[fd00::1]:7 → 10.0.0.5:5001");
  expect(arrivedShare(flow())).toBe(0.75);
  expect(arrivedShare(flow({ sizeBytes: 0 }))).toBe(0);
});

it("distinguishes quiet, busy and congested ports", () => {
  expect(portSeverity(port())).toBe("quiet");
  expect(portSeverity(port({ loadMbps: 45 }))).toBe("busy");
  expect(portSeverity(port({ loadMbps: 45, congested: true }))).toBe("congested");
  expect(portSeverity(port({ loadMbps: 45, capacityMbps: 0 }))).toBe("quiet");
});

it("puts ports of concern first, and orders numbers in names by value", () => {
  const ports = [
    port({ id: "of:01/10" }),
    port({ id: "of:01/9" }),
    port({ id: "of:01/3", loadMbps: 20 }),
    port({ id: "of:01/4", congested: true }),
  ];
  expect(byConcern(ports).map((p) => p.id)).toEqual(["of:01/4", "of:01/3", "of:01/9", "of:01/10"]);
});

it("groups endpoints by tenant", () => {
  const endpoints = [endpoint("h2/vm0", "t1"), endpoint("h1/vm0", "t2"), endpoint("h1/vm1", "t1")];
  expect(byTenant(endpoints).map((e) => e.id)).toEqual(["h1/vm1", "h2/vm0", "h1/vm0"]);
});

it("gives the default tenant no colour of its own, and others different ones", () => {
  const colours = tenantColours([tenant("default"), tenant("t1"), tenant("t2")]);
  expect([...colours.values()]).toEqual(["tenant-default", "tenant-0", "tenant-1"]);
});

it("measures weights by the greatest", () => {
  const all = [tenant("a", 1), tenant("b", 4)];
  expect(all.map((t) => weightShare(t, all))).toEqual([0.25, 1]);
});

it("names members as operators do", () => {
  expect(memberText({ ipPrefix: "10.0.0.0/8" })).toBe("10.0.0.0/8");
  expect(memberText({ mac: "02:00:00:00:01:01" })).toBe("02:00:00:00:01:01");
  expect(memberText({ host: "h1", interface: "vm0" })).toBe("h1/vm0");
  expect(memberText({ host: "h1", interface: "vm0", weight: 2.5 })).toBe("h1/vm0=2.5");
});

it("shows what an endpoint sends beside its lowest limit", () => {
  expect(sendsText(endpoint("h1/vm0", "t1"))).toBe("0, not limited");
  const free = { ...endpoint("h1/vm0", "t1", 50), deliveredMbps: 3 };
  expect(sendsText(free)).toBe("3 Mbit/s of 50 Mbit/s");
  const limits = [{ port: "of:1/5", rateMbps: 9.5, ceShare: 0.4 }];
  const held = { ...free, limits, deliveredMbps: 9.4, heldBack: true };
  expect(sendsText(held)).toBe("9.4 Mbit/s of 9.5 Mbit/s, held back");
  expect(lowestLimit({ ...held, limitMbps: 8 })).toBe(8);
  expect(lowestLimit({ ...held, limitMbps: null })).toBeNull();
});

it("shows what limits an endpoint", () => {
  const free = endpoint("h1/vm0", "t1", 50);
  expect(limitedByText(free)).toBe("–");
  const limits = [
    { port: "of:1/5", rateMbps: 12.5, ceShare: 0.4 },
    { port: "of:2/1", rateMbps: 20, ceShare: 0 },
  ];
  expect(limitedByText({ ...free, limits })).toBe("12.5 Mbit/s at of:1/5, 20 Mbit/s at of:2/1");
});

it("describes the state of a port", () => {
  expect(portText(port())).toBe("free");
  expect(portText(port({ estimated: true }))).toBe("free (path estimated)");
  const congested = { congested: true, activeEndpoints: 4, activeWeight: 5, unitShareMbps: 10 };
  expect(portText(port(congested))).toBe("4 endpoints of weight 5 get 10 Mbit/s per weight 1");
  expect(portText(port({ ...congested, activeEndpoints: 1, estimated: true }))).toBe(
    "1 endpoint of weight 5 gets 10 Mbit/s per weight 1, path estimated",
  );
});

it("sums up", () => {
  const host: Host = {
    id: "h1",
    connected: false,
    agentVersion: "1.2.3",
    uplink: "up0",
    uplinkCapacityMbps: 50,
    switchPorts: [],
    endpointCount: 1,
    lastSeen: "2026-01-10T12:00:00Z",
    missingFeatures: [],
    residualDroppedPackets: 0,
    residualExceededBy: [],
  };
  expect(carriedText(host)).toBe("up0, 50 Mbit/s");
  const portAgent = {
    ...host,
    uplink: null,
    uplinkCapacityMbps: 0,
    switchPorts: ["of:01/5", "of:01/6"],
  };
  expect(carriedText(portAgent)).toBe("queue of of:01/5; queue of of:01/6");
  const snapshot: Snapshot = {
    access: { role: "viewer", tenants: [], registersDeadlines: false },
    tenants: [tenant("default")],
    endpoints: [
      { ...endpoint("h1/vm0", "default", 5), heldBack: true },
      endpoint("h2/vm0", "default", 50),
    ],
    ports: [port({ congested: true, ceShare: 0.5 }), port({ id: "of:01/1" })],
    hosts: [host, { ...host, id: "h2", connected: true }],
    flows: [flow({ state: "met" }), flow({ state: "missed" }), flow()],
    journal: [],
  };
  expect(summary(snapshot).map((f) => `${f.label}: ${f.value} ${f.severity}`)).toEqual([
    "Hosts connected: 1 / 2 congested",
    "Tenants: 1 quiet",
    "Endpoints held back: 1 / 2 busy",
    "Ports congested: 1 / 2 congested",
    "Deadlines met lately: 1 / 2 congested",
    "Highest CE share: 50 % busy",
  ]);
  const ofTenant: Snapshot = {
    ...snapshot,
    access: { role: "tenant", tenants: ["default"], registersDeadlines: false },
    hosts: [],
    ports: [],
  };
  expect(summary(ofTenant).map((f) => `${f.label}: ${f.value} ${f.severity}`)).toEqual([
    "Tenants: 1 quiet",
    "Endpoints held back: 1 / 2 busy",
    "Deadlines met lately: 1 / 2 congested",
  ]);
  const nothing: Snapshot = {
    access: { role: "admin", tenants: [], registersDeadlines: true },
    tenants: [],
    endpoints: [],
    ports: [],
    hosts: [],
    flows: [],
    journal: [],
  };
  expect(summary(nothing).every((f) => f.severity === "quiet")).toBe(true);
});
