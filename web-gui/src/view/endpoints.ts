// SPDX-License-Identifier: Apache-2.0
import { address, bytes, count, rate, rateOf } from "../format";
import type { Endpoint, Tenant } from "../model";
import type { Names } from "../names";

/** What a limit drops of a sender that heeds it: TCP loses a few packets, a flood most of them. */
const FLOOD_SHARE = 0.2;
const PACKET_BITS = 1514 * 8;
const TENANT_COLOURS = 8;
/** What no agent reports is not 0. */
export const NOT_KNOWN = "not known";

/** What gets through. */
export function getsText({
  deliveredBitsPerSecond: rated,
}: Pick<Endpoint, "deliveredBitsPerSecond">) {
  return rated === null ? NOT_KNOWN : rate(rated);
}

/**
 * Those that are cut off first, then those that flood, then others that are held back; then by rate, then by name. Rates that differ little are
 * taken as equal: rows that change places with every report cannot be read.
 */
export function endpointsByConcern(
  endpoints: Iterable<Endpoint>,
  drops: (id: string) => number,
  rank: (endpoint: Endpoint) => number,
): Endpoint[] {
  return [...endpoints]
    .map((endpoint) => ({
      endpoint,
      concern:
        3 * Number(endpoint.refusedIps.length > 0) +
        Number(endpoint.heldBack) +
        Number(floods(endpoint, drops(endpoint.id))),
      magnitude: Math.max(3, Math.round(Math.log10((endpoint.deliveredBitsPerSecond ?? 0) + 1))),
      rank: rank(endpoint),
    }))
    .sort((a, b) => b.concern - a.concern || b.magnitude - a.magnitude || a.rank - b.rank)
    .map(({ endpoint }) => endpoint);
}

/**
 * Whether an endpoint sends much more than it may, so that its host drops it: the culprit, where others
 * slow down.
 *
 * @param dropsPerSecond packets that its host drops of it
 */
export function floods(endpoint: Endpoint, dropsPerSecond: number): boolean {
  const droppedBitsPerSecond = dropsPerSecond * PACKET_BITS;
  const sent = (endpoint.deliveredBitsPerSecond ?? 0) + droppedBitsPerSecond;
  return endpoint.heldBack && droppedBitsPerSecond > FLOOD_SHARE * sent;
}

/** Whether an agent reports of an endpoint now. */
export function isReported({ deliveredBitsPerSecond }: Endpoint): boolean {
  return deliveredBitsPerSecond !== null;
}

/** What is the matter with an endpoint, in a word or two; empty: nothing. */
export function concernText(endpoint: Endpoint, dropsPerSecond: number): string {
  if (endpoint.refusedIps.length > 0) {
    return "address refused";
  }
  if (!isReported(endpoint)) {
    return "no agent";
  }
  if (floods(endpoint, dropsPerSecond)) {
    return "floods";
  }
  return endpoint.heldBack ? "held back" : "";
}

/** The addresses of an endpoint, and those that it does not get. */
export function addressesText({ ips, refusedIps }: Endpoint): string {
  return [...ips.map(address), ...refusedIps.map((ip) => `${address(ip)} (refused)`)].join(", ");
}

/** What waits at an endpoint's host. */
export function waitsText({ backlogBytes }: Endpoint): string {
  if (backlogBytes === null) {
    return NOT_KNOWN;
  }
  return backlogBytes === 0 ? "–" : bytes(backlogBytes);
}

/** What an endpoint's host drops of it. */
export function dropsText(endpoint: Endpoint, dropsPerSecond: number): string {
  if (!isReported(endpoint)) {
    return NOT_KNOWN;
  }
  return dropsPerSecond === 0 ? "–" : `${count(dropsPerSecond)} packets/s`;
}

/** Whether a filter's words all are somewhere in an endpoint's names and addresses. */
export function matches(endpoint: Endpoint, words: readonly string[]): boolean {
  const { id, tenant, mac } = endpoint;
  const ips = [...endpoint.ips, ...endpoint.refusedIps];
  const text = [id, tenant, mac, ...ips, ...ips.map(address)].join(" ").toLowerCase();
  return words.every((word) => text.includes(word));
}

/** The words of what somebody types into a filter. */
export function wordsOf(filter: string): string[] {
  return filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
}

/** The lowest limit of an endpoint, at a congested port or of all that it sends; null: none. */
export function lowestLimit(endpoint: Endpoint): number | null {
  const lowest = endpoint.limits[0]?.rateBitsPerSecond;
  return lowest === undefined || endpoint.limitBitsPerSecond === null
    ? endpoint.limitBitsPerSecond
    : Math.min(lowest, endpoint.limitBitsPerSecond);
}

/** What an endpoint gets through, and what it may send at least, in short. */
export function sendsText(endpoint: Endpoint): string {
  if (endpoint.deliveredBitsPerSecond === null) {
    return NOT_KNOWN;
  }
  const limit = lowestLimit(endpoint);
  return limit === null
    ? `${rate(endpoint.deliveredBitsPerSecond)}, not limited`
    : rateOf(endpoint.deliveredBitsPerSecond, limit);
}

/** What an endpoint gets through of the lowest limit that applies, 0 to 1; 0 without a limit. */
export function usedShare(endpoint: Endpoint): number {
  const limit = lowestLimit(endpoint);
  return limit === null || limit === 0
    ? 0
    : Math.min(1, (endpoint.deliveredBitsPerSecond ?? 0) / limit);
}

/** Which congested ports limit an endpoint, the lowest limit first; of several, to what each. */
export function limitedByText({ limits }: Endpoint, names: Names): string {
  const several = limits.length > 1;
  return (
    limits
      .map((at) => names.ofPort(at.port) + (several ? ` (${rate(at.rateBitsPerSecond)})` : ""))
      .join(", ") || "–"
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
