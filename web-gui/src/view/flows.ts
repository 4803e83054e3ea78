// SPDX-License-Identifier: Apache-2.0
import { address } from "../format";
import type { Flow } from "../model";
import type { Severity } from "./ports";

/** Whether a registration has not ended. */
export function isOpen(flow: Flow): boolean {
  return flow.state === "waiting" || flow.state === "sending";
}

/** Open registrations first, the most urgent before others; then those that have ended, the latest first. */
export function byUrgency(flows: Iterable<Flow>): Flow[] {
  const due = (flow: Flow) => Date.parse(flow.deadline);
  return [...flows].sort(
    (a, b) =>
      Number(isOpen(b)) - Number(isOpen(a)) ||
      (isOpen(a) ? due(a) - due(b) : due(b) - due(a)) ||
      a.id - b.id,
  );
}

/** Whether its deadline was promised at some time. */
export function wasPromised(flow: Flow): boolean {
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
  const end = (host: string, port: number) =>
    `${host.includes(":") ? `[${address(host)}]` : host}:${port === 0 ? "*" : String(port)}`;
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
