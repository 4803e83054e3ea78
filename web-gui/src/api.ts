// SPDX-License-Identifier: Apache-2.0
import type { Access, Explanation, Snapshot } from "./model";
import { seesNetwork } from "./view";

const JOURNAL_ENTRIES = 50;
const FLOWS = 50;

/** Why there is no snapshot, for the operator. */
export class Unavailable extends Error {}

/** Where the REST interface is, seen from the address of the page. */
export function restRoot(pagePath: string): string {
  return pagePath.replace(/\/(?:ui(?:\/.*)?)?$/, "") + "/v1/";
}

/** The sentence of a problem document, or else the status. */
export function problemText(status: number, body: unknown): string {
  if (typeof body === "object" && body !== null && "detail" in body) {
    const { detail, remedy } = body as { detail: unknown; remedy?: unknown };
    return remedy === undefined ? String(detail) : `${String(detail)}. ${String(remedy)}.`;
  }
  return `The controller answered with status ${String(status)}.`;
}

async function readOne<T>(address: string, signal: AbortSignal): Promise<T> {
  let response: Response;
  try {
    response = await fetch(address, { signal, headers: { Accept: "application/json" } });
  } catch {
    throw new Unavailable("The controller does not answer.");
  }
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok) {
    throw new Unavailable(problemText(response.status, body));
  }
  return body as T;
}

/**
 * Reads why an endpoint gets no more than it does.
 *
 * @throws Unavailable if there is no answer, or no such endpoint
 */
export function readExplanation(
  root: string,
  endpoint: string,
  signal: AbortSignal,
): Promise<Explanation> {
  const path = endpoint.split("/").map(encodeURIComponent).join("/");
  return readOne<Explanation>(`${root}endpoints/${path}/why`, signal);
}

/**
 * Reads what the user may see, and then all of that at once.
 *
 * @throws Unavailable if any part cannot be read
 */
export async function readSnapshot(root: string, signal: AbortSignal): Promise<Snapshot> {
  const read = <T>(path: string): Promise<T> => readOne<T>(root + path, signal);
  const access = await read<Access>("access");
  const ofNetwork = seesNetwork(access);
  const [tenants, endpoints, ports, hosts, flows, journal] = await Promise.all([
    read<Pick<Snapshot, "tenants">>("tenants"),
    read<Pick<Snapshot, "endpoints">>("endpoints"),
    ofNetwork ? read<Pick<Snapshot, "ports">>("ports") : { ports: [] },
    ofNetwork ? read<Pick<Snapshot, "hosts">>("hosts") : { hosts: [] },
    read<Pick<Snapshot, "flows">>(`flows?limit=${String(FLOWS)}`),
    read<{ entries: Snapshot["journal"] }>(`journal?limit=${String(JOURNAL_ENTRIES)}`),
  ]);
  return {
    access,
    ...tenants,
    ...endpoints,
    ...ports,
    ...hosts,
    ...flows,
    journal: journal.entries,
  };
}
