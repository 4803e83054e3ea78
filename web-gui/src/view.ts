// SPDX-License-Identifier: Apache-2.0
// From what was read to what is shown, without touching the page.
import { percent, rate, significant } from "./format";
import type { Access, Endpoint, Flow, Host, Member, Port, Snapshot, Tenant } from "./model";

/** How much attention a port, flow or figure needs. */
export type Severity = "quiet" | "busy" | "congested";

const BUSY_SHARE = 0.8;
const TENANT_COLOURS = 8;

/** Whether the user sees ports and hosts, and not only what is a tenant's own. */
export function seesNetwork(access: Access): boolean {
  return access.role !== "tenant";
}

export function portSeverity(port: Port): Severity {
  if (port.congested) {
    return "congested";
  }
  return loadShare(port) >= BUSY_SHARE ? "busy" : "quiet";
}

/** Load over capacity, 0 to 1. */
export function loadShare(port: Port): number {
  return port.capacityMbps > 0 ? Math.min(1, port.loadMbps / port.capacityMbps) : 0;
}

/** Congested ports first, then loaded ones, then by name. */
export function byConcern(ports: readonly Port[]): Port[] {
  return [...ports].sort(
    (a, b) =>
      Number(b.congested) - Number(a.congested) ||
      loadShare(b) - loadShare(a) ||
      a.id.localeCompare(b.id, "en", { numeric: true }),
  );
}

/** Endpoints by tenant, then by name. */
export function byTenant(endpoints: readonly Endpoint[]): Endpoint[] {
  return [...endpoints].sort(
    (a, b) =>
      a.tenant.localeCompare(b.tenant, "en", { numeric: true }) ||
      a.id.localeCompare(b.id, "en", { numeric: true }),
  );
}

/** Gives every tenant a colour that stays while the set of tenants does; the default one grey. */
export function tenantColours(tenants: readonly Tenant[]): Map<string, string> {
  const colours = new Map<string, string>();
  let next = 0;
  for (const { id } of tenants) {
    colours.set(
      id,
      id === "default" ? "tenant-default" : `tenant-${String(next++ % TENANT_COLOURS)}`,
    );
  }
  return colours;
}

/** Weights as parts of the greatest, for bars. */
export function weightShare(tenant: Tenant, all: readonly Tenant[]): number {
  const greatest = Math.max(...all.map((one) => one.weight));
  return greatest > 0 ? tenant.weight / greatest : 0;
}

export function memberText(member: Member): string {
  const name = member.ipPrefix ?? member.mac ?? `${member.host ?? "?"}/${member.interface ?? "?"}`;
  return member.weight === undefined ? name : `${name}=${String(member.weight)}`;
}

/** The lowest limit of an endpoint, at a congested port or of all that it sends; null: none. */
export function lowestLimit(endpoint: Endpoint): number | null {
  const lowest = endpoint.limits[0]?.rateMbps;
  return lowest === undefined || endpoint.limitMbps === null
    ? endpoint.limitMbps
    : Math.min(lowest, endpoint.limitMbps);
}

/** What an endpoint gets through, and what it may send at least, in short. */
export function sendsText(endpoint: Endpoint): string {
  const limit = lowestLimit(endpoint);
  const sends = rate(endpoint.deliveredMbps);
  return limit === null
    ? `${sends}, not limited`
    : `${sends} of ${rate(limit)}${endpoint.heldBack ? ", held back" : ""}`;
}

/** Which congested ports limit an endpoint, and to what, the lowest limit first. */
export function limitedByText(endpoint: Endpoint): string {
  return (
    endpoint.limits.map((limit) => `${rate(limit.rateMbps)} at ${limit.port}`).join(", ") || "–"
  );
}

/** What a host's agent manages: its uplink, or queues of switch ports. */
export function carriedText(host: Host): string {
  const uplink = host.uplink === null ? [] : [`${host.uplink}, ${rate(host.uplinkCapacityMbps)}`];
  return [...uplink, ...host.switchPorts.map((port) => `queue of ${port}`)].join("; ");
}

/** The state of a port in a sentence. */
export function portText(port: Port): string {
  if (!port.congested) {
    return port.estimated ? "free (path estimated)" : "free";
  }
  const endpoints =
    port.activeEndpoints === 1
      ? `1 endpoint of weight ${significant(port.activeWeight)} gets`
      : `${String(port.activeEndpoints)} endpoints of weight ${significant(port.activeWeight)} get`;
  const share = `${rate(port.unitShareMbps)} per weight 1`;
  const guess = port.estimated ? ", path estimated" : "";
  return `${endpoints} ${share}${guess}`;
}

/** Whether a registration has not ended. */
export function isOpen(flow: Flow): boolean {
  return flow.state === "waiting" || flow.state === "sending";
}

/** Open registrations first, the most urgent before others; then those that have ended, the latest first. */
export function byUrgency(flows: readonly Flow[]): Flow[] {
  const due = (flow: Flow) => Date.parse(flow.deadline);
  return [...flows].sort(
    (a, b) =>
      Number(isOpen(b)) - Number(isOpen(a)) ||
      (isOpen(a) ? due(a) - due(b) : due(b) - due(a)) ||
      a.id - b.id,
  );
}

/** Whether its deadline was promised at some time. */
function wasPromised(flow: Flow): boolean {
  return flow.promised || flow.promiseLost;
}

/** A broken promise is the severest. */
export function flowSeverity(flow: Flow): Severity {
  if (flow.state === "missed") {
    return wasPromised(flow) ? "congested" : "busy";
  }
  return flow.promised ? "quiet" : "busy";
}

/** From where to where, an open port as a star. */
export function flowText(flow: Flow): string {
  const end = (address: string, port: number) =>
    `${address.includes(":") ? `[${address}]` : address}:${port === 0 ? "*" : String(port)}`;
  return `${end(flow.source, flow.sourcePort)} → ${end(flow.destination, flow.destinationPort)}`;
}

/** What of a flow has arrived, 0 to 1. */
export function arrivedShare(flow: Flow): number {
  return flow.sizeBytes > 0 ? 1 - flow.remainingBytes / flow.sizeBytes : 0;
}

/** The state of a registration as text. */
export function flowStateText(flow: Flow): string {
  const state = flow.state.replace("-", " ");
  if (flow.promised) {
    return state;
  }
  return `${state} (${flow.promiseLost ? "promise lost" : "not promised"})`;
}

/** One figure of the summary. */
export interface Figure {
  label: string;
  value: string;
  severity: Severity;
}

export function summary(snapshot: Snapshot): Figure[] {
  const { access, hosts, ports, endpoints, tenants, flows } = snapshot;
  const connected = hosts.filter((host) => host.connected).length;
  const congested = ports.filter((port) => port.congested).length;
  const held = endpoints.filter((endpoint) => endpoint.heldBack).length;
  const judged = flows.filter((flow) => flow.state === "met" || flow.state === "missed");
  const met = judged.filter((flow) => flow.state === "met").length;
  const broken = judged.some((flow) => flow.state === "missed" && wasPromised(flow));
  const worst = Math.max(0, ...ports.map((port) => port.ceShare));
  const ofTenants: Figure[] = [
    { label: "Tenants", value: String(tenants.length), severity: "quiet" },
    {
      label: "Endpoints held back",
      value: `${String(held)} / ${String(endpoints.length)}`,
      severity: held > 0 ? "busy" : "quiet",
    },
  ];
  const ofDeadlines: Figure = {
    label: "Deadlines met lately",
    value: judged.length === 0 ? "–" : `${String(met)} / ${String(judged.length)}`,
    severity: broken ? "congested" : met < judged.length ? "busy" : "quiet",
  };
  if (!seesNetwork(access)) {
    return [...ofTenants, ofDeadlines];
  }
  return [
    {
      label: "Hosts connected",
      value: `${String(connected)} / ${String(hosts.length)}`,
      severity: connected < hosts.length ? "congested" : "quiet",
    },
    ...ofTenants,
    {
      label: "Ports congested",
      value: `${String(congested)} / ${String(ports.length)}`,
      severity: congested > 0 ? "congested" : "quiet",
    },
    ofDeadlines,
    { label: "Highest CE share", value: percent(worst), severity: worst > 0 ? "busy" : "quiet" },
  ];
}
