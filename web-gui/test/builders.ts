// SPDX-License-Identifier: Apache-2.0
// Things as the controller serves them, but for what a test is about.
import type {
  Endpoint,
  Explanation,
  Flow,
  Host,
  JournalEntry,
  Port,
  Tenant,
  Topology,
} from "../src/model";

export const S1 = "of:0000000000000001";
export const S2 = "of:0000000000000002";

export const port = (changes: Partial<Port> = {}): Port => ({
  id: `${S1}/5`,
  capacityBitsPerSecond: 50e6,
  name: null,
  capacitySource: "configured",
  congested: false,
  estimated: false,
  marksFrom: null,
  ceShare: 0,
  loadBitsPerSecond: 0,
  unitShareBitsPerSecond: null,
  activeEndpoints: 0,
  activeWeight: 0,
  floorScale: 1,
  scaledTenants: [],
  countersFrom: "fast",
  ...changes,
});

export const tenant = (id: string, weight = 1): Tenant => ({
  id,
  weight,
  guaranteeBitsPerSecond: 0,
  ceilingBitsPerSecond: 0,
  receiveCeilingBitsPerSecond: 0,
  ecn: "clear",
  members: [],
});

export const endpoint = (id: string, changes: Partial<Endpoint> = {}): Endpoint => ({
  id,
  host: id.split("/")[0] ?? "",
  interface: "vm0",
  mac: "02:00:00:00:01:01",
  ips: ["10.0.0.1"],
  refusedIps: [],
  tenant: "t1",
  attachment: null,
  limitBitsPerSecond: null,
  limits: [],
  deliveredBitsPerSecond: 0,
  backlogBytes: 0,
  droppedPackets: 0,
  heldBack: false,
  ...changes,
});

export const flow = (changes: Partial<Flow> = {}): Flow => ({
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

export const host = (id: string, changes: Partial<Host> = {}): Host => ({
  id,
  connected: true,
  stopped: false,
  agentVersion: "1.2.3",
  uplink: "up0",
  uplinkCapacityBitsPerSecond: 50e6,
  switchPorts: [],
  endpointCount: 1,
  lastSeen: "2026-01-01T00:00:00Z",
  missingFeatures: [],
  residualDroppedPackets: 0,
  residualExceededBy: [],
  ...changes,
});

export const entry = (changes: Partial<JournalEntry> = {}): JournalEntry => ({
  sequence: 1,
  time: "2026-01-01T00:00:00Z",
  kind: "unit-share",
  law: "sluice",
  port: null,
  endpoint: null,
  tenant: null,
  decision: "unit share 12.5 Mbit/s",
  evidence: "load 49 of 50 Mbit/s",
  ...changes,
});

export const explanation = (changes: Partial<Explanation> = {}): Explanation => ({
  endpoint: "h1/vm0",
  tenant: "t1",
  weight: 2,
  cause: "nothing",
  summary: "",
  lines: [],
  ports: [],
  journal: [],
  ...changes,
});

/** Two switches, a host at the first one. */
export const twoSwitches = (): Topology => ({
  switches: [
    { datapath: S1, name: "s1", available: true, layer: 0 },
    { datapath: S2, name: S2, available: true, layer: 0 },
  ],
  links: [
    { source: { datapath: S1, number: 5 }, target: { datapath: S2, number: 5 } },
    { source: { datapath: S2, number: 5 }, target: { datapath: S1, number: 5 } },
  ],
  attachments: [{ host: "h1", port: { datapath: S1, number: 1 } }],
});
