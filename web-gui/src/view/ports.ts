// SPDX-License-Identifier: Apache-2.0
import { rate, rateOf, significant } from "../format";
import type { Endpoint, Explanation, Port, PortUser, Queues } from "../model";

/** How much attention something needs. */
export type Severity = "quiet" | "busy" | "congested";

const BUSY_SHARE = 0.8;

export function portSeverity(port: Port): Severity {
  if (port.congested) {
    return "congested";
  }
  return loadShare(port) >= BUSY_SHARE ? "busy" : "quiet";
}

/** Load over capacity, 0 to 1. */
export function loadShare(port: Port): number {
  return port.capacityBitsPerSecond > 0
    ? Math.min(1, port.loadBitsPerSecond / port.capacityBitsPerSecond)
    : 0;
}

/** Congested ports first, then by tenths of the load, so that rows stay while it varies; then by name. */
export function byConcern(ports: Iterable<Port>, rank: (port: Port) => number): Port[] {
  const tenths = (port: Port) => (port.congested ? 0 : Math.round(10 * loadShare(port)));
  return [...ports].sort(
    (a, b) =>
      Number(b.congested) - Number(a.congested) || tenths(b) - tenths(a) || rank(a) - rank(b),
  );
}

export function loadText(port: Port): string {
  return rateOf(port.loadBitsPerSecond, port.capacityBitsPerSecond);
}

/** Who is active at a congested port. */
export function activeText(port: Port): string {
  return port.congested
    ? `${String(port.activeEndpoints)} (weight ${significant(port.activeWeight)})`
    : "–";
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
  const share = `${rate(port.unitShareBitsPerSecond)} per weight 1`;
  const guess = port.estimated ? ", path estimated" : "";
  const floors =
    port.floorScale < 1 ? `, guarantees of ${port.scaledTenants.join(", ")} broken` : "";
  return `${endpoints} ${share}${floors}${guess}`;
}

/** Who counts the marks of a port. */
export function marksFromText(port: Port): string {
  switch (port.marksFrom) {
    case "ports":
      return "its own port agent";
    case "hosts":
      return "agents of the hosts behind it";
    case "meters":
      return "a meter of the next switch";
    default:
      return "not counted yet";
  }
}

/** Where a port's counters come from. */
export function countersFromText(port: Port): string {
  switch (port.countersFrom) {
    case "fast":
      return "the switch, every few milliseconds";
    case "slow":
      return "the controller's polling, every few seconds";
    default:
      return "another controller node";
  }
}

/** Who sends through a port, the greatest rate first. */
export interface Competitors {
  users: PortUser[];
  /** How many more there are, and what these get through together; null: not for this user. */
  furtherUsers: number | null;
  furtherBitsPerSecond: number | null;
}

/** By the explanation of one endpoint that sends through the port; undefined: it has none. */
export function competitors(port: string, why: Explanation): Competitors | undefined {
  const reason = why.ports.find((each) => each.port === port);
  if (reason === undefined) {
    return undefined;
  }
  const own: PortUser = {
    endpoint: why.endpoint,
    tenant: why.tenant,
    weight: why.weight,
    deliveredBitsPerSecond: reason.deliveredBitsPerSecond,
  };
  return {
    users: [own, ...reason.users].sort(
      (a, b) => b.deliveredBitsPerSecond - a.deliveredBitsPerSecond,
    ),
    furtherUsers: reason.furtherUsers,
    furtherBitsPerSecond: reason.furtherBitsPerSecond,
  };
}

/** Endpoints that a port limits, those that use their limits up first. */
export function limitedAt(port: string, endpoints: Iterable<Endpoint>): Endpoint[] {
  return [...endpoints]
    .filter((endpoint) => endpoint.limits.some((limit) => limit.port === port))
    .sort(
      (a, b) =>
        Number(b.heldBack) - Number(a.heldBack) ||
        (b.deliveredBitsPerSecond ?? 0) - (a.deliveredBitsPerSecond ?? 0),
    );
}

/** What waits at a port, of what, and from where on it is too much. */
export function queueText(queues: Queues): string {
  const error = queues.errorPackets > 0 ? ` ± ${String(queues.errorPackets)}` : "";
  const room = queues.bufferPackets === null ? "" : ` of ${String(queues.bufferPackets)}`;
  const threshold =
    queues.thresholdPackets === null ? "" : `, threshold ${String(queues.thresholdPackets)}`;
  return `${String(queues.backlogPackets)}${error}${room} packets${threshold}`;
}
