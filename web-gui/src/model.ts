// SPDX-License-Identifier: Apache-2.0
// What the REST interface returns; openapi.json describes it.

export interface Member {
  ipPrefix?: string;
  mac?: string;
  host?: string;
  interface?: string;
  /** What hosts know of interfaces; all that is given must hold. */
  domain?: string;
  namespace?: string;
  labels?: Record<string, string>;
  network?: string;
  vlan?: number;
  bridge?: string;
  /** 1 where it is missing. */
  weight?: number;
}

export interface Tenant {
  id: string;
  weight: number;
  guaranteeBitsPerSecond: number;
  ceilingBitsPerSecond: number;
  /** What the network shall bring each of its endpoints at most; 0 is none. */
  receiveCeilingBitsPerSecond: number;
  ecn: "clear" | "preserve";
  members: Member[];
}

export interface PortLimit {
  port: string;
  rateBitsPerSecond: number;
  ceShare: number;
}

export interface Endpoint {
  id: string;
  host: string;
  interface: string;
  mac: string;
  ips: string[];
  /** Addresses that it claims and does not get: it is cut off from them. */
  refusedIps: string[];
  tenant: string;
  attachment: string | null;
  limitBitsPerSecond: number | null;
  limits: PortLimit[];
  /** What gets through of all that it sends; null, as the next two: no agent reports it. */
  deliveredBitsPerSecond: number | null;
  /** What waits at its host for its limits. */
  backlogBytes: number | null;
  /** What its host has dropped of it since its agent connected. */
  droppedPackets: number | null;
  /** Whether it uses up some limit. */
  heldBack: boolean;
}

/** Why an endpoint gets no more than it does; what the page shows of it. */
export interface Explanation {
  endpoint: string;
  tenant: string;
  weight: number;
  cause:
    "nothing" | "port" | "ceiling" | "uplink" | "not-enforced" | "not-reported" | "refused-address";
  summary: string;
  lines: string[];
  ports: PortReason[];
  journal: JournalEntry[];
}

/** How a flow with a deadline fares, and why; what the page shows of it. */
export interface FlowExplanation {
  summary: string;
  lines: string[];
  journal: JournalEntry[];
}

/** Who sends through a congested port, too. */
export interface PortUser {
  endpoint: string;
  tenant: string;
  weight: number;
  deliveredBitsPerSecond: number;
}

/** What a congested port does to an endpoint. */
export interface PortReason {
  port: string;
  capacityBitsPerSecond: number;
  /** Null, as furtherUsers and furtherBitsPerSecond: for who sees all alone. */
  loadBitsPerSecond: number | null;
  ceShare: number;
  unitShareBitsPerSecond: number | null;
  binding: boolean;
  limitBitsPerSecond: number | null;
  deliveredBitsPerSecond: number;
  dueBitsPerSecond: number | null;
  dueOfTwiceTheWeightBitsPerSecond: number | null;
  users: PortUser[];
  furtherUsers: number | null;
  furtherBitsPerSecond: number | null;
}

export interface Port {
  id: string;
  /** `s1:5 -> s2`; null where the controller has no name for it. */
  name: string | null;
  capacityBitsPerSecond: number;
  capacitySource: "configured" | "switch";
  congested: boolean;
  estimated: boolean;
  /** Who counts its marks: its port agent, the hosts behind it, the next switch; null: null: not counted yet. */
  marksFrom: "ports" | "hosts" | "meters" | null;
  ceShare: number;
  loadBitsPerSecond: number;
  unitShareBitsPerSecond: number | null;
  activeEndpoints: number;
  activeWeight: number;
  /** What part of guarantees and promised deadlines those who are active there have. */
  floorScale: number;
  /** Whose these are, where it is less than 1. */
  scaledTenants: string[];
  /** none: another controller node is its switch's master. */
  countersFrom: "fast" | "slow" | "none";
}

/** What a tenant got at a moment, everywhere or at a port. */
export interface TenantRate {
  tenant: string;
  deliveredBitsPerSecond: number;
  dueByWeightBitsPerSecond: number | null;
}

/** What the controller kept of a moment of the last hour. */
export interface RateMoment {
  time: string;
  tenants: TenantRate[];
  ports: {
    port: string;
    capacityBitsPerSecond: number;
    loadBitsPerSecond: number;
    tenants: TenantRate[];
  }[];
}

/** What waits at a port. */
export interface Queues {
  port: string;
  lengthsFrom: "port-agent" | "estimated";
  backlogPackets: number;
  errorPackets: number;
  bufferPackets: number | null;
  thresholdPackets: number | null;
  ageMillis: number;
}

export interface Host {
  id: string;
  connected: boolean;
  /** Whether its agent was stopped, which announces that. */
  stopped: boolean;
  agentVersion: string;
  uplink: string | null;
  uplinkCapacityBitsPerSecond: number;
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
  /** Whose own affair it was; null where it is also about others. */
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

/** What doctor found, and what mends it. */
export interface Finding {
  severity: "error" | "warning" | "note";
  about: string;
  what: string;
  remedy: string;
}

/** The controllers' cluster, as the node that answers observes it. */
export interface Cluster {
  leader: string | null;
  storeFault: string | null;
  nodes: ClusterNode[];
}

export interface ClusterNode {
  name: string;
  local: boolean;
  state: "running" | "silent" | "unknown";
  silentSeconds: number;
  version: string | null;
  switches: string[];
  clockOffMillis: number;
  webFault: string | null;
}

export interface PortRef {
  datapath: string;
  number: number;
}

export interface Switch {
  datapath: string;
  name: string;
  available: boolean;
  /** Links to the nearest switch with hosts; null: no way leads to one. */
  layer: number | null;
}

export interface Topology {
  switches: Switch[];
  /** One for each direction. */
  links: { source: PortRef; target: PortRef }[];
  attachments: { host: string | null; port: PortRef }[];
}
