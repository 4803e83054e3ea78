// SPDX-License-Identifier: Apache-2.0
// What the REST interface returns; openapi.json describes it.

export interface Member {
  ipPrefix?: string;
  mac?: string;
  host?: string;
  interface?: string;
  /** 1 where it is missing. */
  weight?: number;
}

export interface Tenant {
  id: string;
  weight: number;
  guaranteeMbps: number;
  ceilingMbps: number;
  /** What the network shall bring each of its endpoints at most; 0 is none. */
  receiveCeilingMbps: number;
  ecn: "clear" | "preserve";
  members: Member[];
}

export interface PortLimit {
  port: string;
  rateMbps: number;
  ceShare: number;
}

export interface Endpoint {
  id: string;
  host: string;
  interface: string;
  mac: string;
  ips: string[];
  tenant: string;
  attachment: string | null;
  limitMbps: number | null;
  limits: PortLimit[];
  /** What gets through of all that it sends. */
  deliveredMbps: number;
  /** What waits at its host for its limits. */
  backlogBytes: number;
  /** What its host has dropped of it since its agent connected. */
  droppedPackets: number;
  /** Whether it uses up some limit. */
  heldBack: boolean;
}

/** Why an endpoint gets no more than it does; what the page shows of it. */
export interface Explanation {
  endpoint: string;
  cause: "nothing" | "port" | "ceiling" | "uplink" | "not-enforced" | "not-reported";
  summary: string;
  lines: string[];
  journal: JournalEntry[];
}

export interface Port {
  id: string;
  capacityMbps: number;
  capacitySource: "configured" | "switch";
  congested: boolean;
  estimated: boolean;
  ceShare: number;
  loadMbps: number;
  unitShareMbps: number | null;
  activeEndpoints: number;
  activeWeight: number;
}

export interface Host {
  id: string;
  connected: boolean;
  agentVersion: string;
  uplink: string | null;
  uplinkCapacityMbps: number;
  switchPorts: string[];
  endpointCount: number;
  lastSeen: string;
  missingFeatures: string[];
  residualDroppedPackets: number;
  residualExceededBy: string[];
}

export type FlowState =
  "waiting" | "sending" | "met" | "missed" | "never-sent" | "closed-early" | "removed";

/** A flow with a deadline. A port of 0 stands for any. */
export interface Flow {
  id: number;
  source: string;
  sourcePort: number;
  destination: string;
  destinationPort: number;
  tenant: string;
  sizeBytes: number;
  remainingBytes: number;
  deadline: string;
  promised: boolean;
  /** It was promised, until its path, or the capacity along it, changed. */
  promiseLost: boolean;
  state: FlowState;
}

export interface JournalEntry {
  sequence: number;
  time: string;
  kind: string;
  law: string;
  port: string | null;
  endpoint: string | null;
  /** Whose own affair it was; null where it also tells about others. */
  tenant: string | null;
  decision: string;
  evidence: string;
}

/** What the user may see: a tenant's user neither ports nor hosts. */
export interface Access {
  role: "admin" | "viewer" | "tenant";
  tenants: string[];
  registersDeadlines: boolean;
}

/** All that the page shows, read at one moment; what the user may not see is empty. */
export interface Snapshot {
  access: Access;
  tenants: Tenant[];
  endpoints: Endpoint[];
  ports: Port[];
  hosts: Host[];
  flows: Flow[];
  journal: JournalEntry[];
}
