// SPDX-License-Identifier: Apache-2.0
import { count, percent, rate } from "../format";
import type { State } from "../live/state";
import type { Endpoint, Port } from "../model";
import { floods } from "./endpoints";
import { loadShare } from "./ports";

/** How a link is drawn: by its load, and by whether it is under control. */
export const LINK_CLASSES = ["unknown", "idle", "loaded", "busy", "congested"] as const;
export type LinkClass = (typeof LINK_CLASSES)[number];

const LOADED_SHARE = 0.4;
const BUSY_SHARE = 0.8;

export function linkClass(port: Port | undefined): LinkClass {
  if (port === undefined) {
    return "unknown";
  }
  if (port.congested) {
    return "congested";
  }
  const share = loadShare(port);
  return share >= BUSY_SHARE ? "busy" : share >= LOADED_SHARE ? "loaded" : "idle";
}

/** What stands beside a link that needs attention. */
export function linkLabel(port: Port): string {
  const load = percent(loadShare(port));
  return port.congested && port.ceShare > 0 ? `${load}, CE ${percent(port.ceShare)}` : load;
}

/** A link for those who do not see the drawing; with what stands there, by which others name it. */
export function linkText(name: string, port: Port): string {
  const state = port.congested ? "congested, " : "";
  const load = `${rate(port.loadBitsPerSecond)} of ${rate(port.capacityBitsPerSecond)}`;
  return `${name}: ${state}${linkLabel(port)}, ${load}`;
}

/** What some hosts' endpoints do together. */
export interface HostsState {
  endpoints: number;
  heldBack: number;
  flooding: number;
  deliveredBitsPerSecond: number;
  connected: boolean;
}

/** What each host's endpoints do together. */
export function statesOfHosts(
  state: State,
  drops: (endpoint: string) => number,
): Map<string, HostsState> {
  const states = new Map<string, HostsState>();
  for (const { id, connected } of state.hosts) {
    states.set(id, { ...NO_HOSTS, connected });
  }
  for (const endpoint of state.endpoints.values()) {
    const found = states.get(endpoint.host);
    if (found !== undefined) {
      add(found, endpoint, drops(endpoint.id));
    }
  }
  return states;
}

const NO_HOSTS: HostsState = {
  endpoints: 0,
  heldBack: 0,
  flooding: 0,
  deliveredBitsPerSecond: 0,
  connected: true,
};

function add(sum: HostsState, endpoint: Endpoint, dropsPerSecond: number): void {
  sum.endpoints++;
  sum.heldBack += Number(endpoint.heldBack);
  sum.flooding += Number(floods(endpoint, dropsPerSecond));
  sum.deliveredBitsPerSecond += endpoint.deliveredBitsPerSecond ?? 0;
}

/** Several hosts' states as one. */
export function together(states: readonly (HostsState | undefined)[]): HostsState {
  const sum = { ...NO_HOSTS };
  for (const each of states) {
    if (each !== undefined) {
      sum.endpoints += each.endpoints;
      sum.heldBack += each.heldBack;
      sum.flooding += each.flooding;
      sum.deliveredBitsPerSecond += each.deliveredBitsPerSecond;
      sum.connected &&= each.connected;
    }
  }
  return sum;
}

/** How much attention hosts need. */
export function hostsClass(state: HostsState): "lost" | "floods" | "held" | "quiet" {
  if (!state.connected) {
    return "lost";
  }
  return state.flooding > 0 ? "floods" : state.heldBack > 0 ? "held" : "quiet";
}

/** Hosts for those who do not see the drawing. */
export function hostsText(name: string, state: HostsState): string {
  const flooding = state.flooding > 0 ? `, ${count(state.flooding)} of them flooding` : "";
  const lost = state.connected ? "" : ", without a connected agent";
  const endpoints = `${count(state.endpoints)} ${state.endpoints === 1 ? "endpoint" : "endpoints"}`;
  return `${name}: ${endpoints}, ${count(state.heldBack)} held back${flooding}${lost}`;
}
