// SPDX-License-Identifier: Apache-2.0
import { rate } from "../format";
import type { ClusterNode, Finding, Host } from "../model";
import type { Names } from "../names";
import type { Severity } from "./ports";

/** What a host's agent manages: its uplink, or queues of switch ports. */
export function carriedText(host: Host, names: Names): string {
  const uplink =
    host.uplink === null ? [] : [`${host.uplink}, ${rate(host.uplinkCapacityBitsPerSecond)}`];
  return [...uplink, ...host.switchPorts.map((port) => `queue of ${names.ofPort(port)}`)].join(
    "; ",
  );
}

/** How a controller node is, in a word or two. */
export function nodeText({ state, silentSeconds, webFault }: ClusterNode): string {
  switch (state) {
    case "running":
      return webFault === null ? "runs" : `runs, but: ${webFault}`;
    case "silent":
      return `silent for ${String(silentSeconds)} s`;
    case "unknown":
      return "not known";
  }
}

export function nodeSeverity({ state, webFault }: ClusterNode): Severity {
  return state === "running" ? (webFault === null ? "quiet" : "busy") : "congested";
}

/** Clocks that differ by less are right, ms. */
const CLOCK_OFF_MILLIS = 1000;

export function clockText({ clockOffMillis }: ClusterNode): string {
  const seconds = String(Math.abs(Math.round(clockOffMillis / 1000)));
  return Math.abs(clockOffMillis) <= CLOCK_OFF_MILLIS
    ? "right"
    : `${seconds} s ${clockOffMillis > 0 ? "ahead" : "behind"}`;
}

/** What became of a host's agent. */
export function agentText({ connected, stopped }: Host): string {
  return connected ? "connected" : stopped ? "stopped" : "not connected";
}

export function agentSeverity({ connected, stopped }: Host): Severity {
  return connected ? "quiet" : stopped ? "busy" : "congested";
}

/** Hosts without a connected agent first, then those that lack something, then by name. */
export function hostsByConcern(
  hosts: readonly Host[],
  compare: (a: string, b: string) => number,
): Host[] {
  const concern = (host: Host) =>
    Number(!host.connected) * 4 +
    Number(host.residualExceededBy.length > 0) * 2 +
    Number(host.missingFeatures.length > 0);
  return [...hosts].sort((a, b) => concern(b) - concern(a) || compare(a.id, b.id));
}

const SEVERITIES: Record<Finding["severity"], Severity> = {
  error: "congested",
  warning: "busy",
  note: "quiet",
};

export function findingSeverity(finding: Finding): Severity {
  return SEVERITIES[finding.severity];
}

/** Errors first, then warnings, then notes. */
export function findingsByConcern(findings: readonly Finding[]): Finding[] {
  const order = Object.keys(SEVERITIES);
  return [...findings].sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
}
