// SPDX-License-Identifier: Apache-2.0
import type { Context } from "../context";
import { element } from "../dom";
import { rate } from "../format";
import type { Host, Port } from "../model";
import { NOT_KNOWN } from "../view/endpoints";
import { byConcern, loadShare, loadText, portSeverity } from "../view/ports";
import { hostsClass, statesOfHosts, type HostsState } from "../view/topology";
import { badgeCell, barCell, table, targetCell, textCell } from "../widgets";
import type { Details } from "./details";
import { Facts } from "./facts";

/** A switch: its ports, and the hosts behind it. */
export class SwitchDetails implements Details {
  readonly root: HTMLElement;
  private readonly facts = new Facts();
  private readonly hostsHeading = element("h3", "", "Hosts behind it");
  private readonly ports;
  private readonly hosts;
  private states = new Map<string, HostsState>();

  constructor(private readonly context: Context) {
    this.ports = portTable(context);
    this.hosts = this.hostTable();
    this.root = element(
      "div",
      "",
      this.facts.root,
      element("h3", "", "Ports"),
      this.ports.root,
      this.hostsHeading,
      this.hosts.root,
    );
  }

  heading(id: string): string {
    return `Switch ${this.context.names.ofSwitch(id)}`;
  }

  update(id: string): void {
    const { state, recorder } = this.context;
    const known = state.topology?.switches.find(({ datapath }) => datapath === id);
    this.facts.update([
      ["Datapath", id],
      ["State", known === undefined ? "unknown" : known.available ? "connected" : "lost"],
    ]);
    const ports = [...state.ports.values()].filter((port) => port.id.startsWith(`${id}/`));
    this.ports.update(byConcern(ports, (port) => state.ports.rank(port)));
    const behind = new Set(
      state.topology?.attachments
        .filter(({ port }) => port.datapath === id)
        .map(({ host }) => host),
    );
    const hosts = state.hosts.filter((host) => behind.has(host.id));
    this.states = statesOfHosts(state, (endpoint) => recorder.dropsPerSecond(endpoint));
    this.hostsHeading.hidden = hosts.length === 0;
    this.hosts.root.hidden = hosts.length === 0;
    const held = (host: Host) => this.states.get(host.id)?.heldBack ?? 0;
    this.hosts.update(hosts.sort((a, b) => held(b) - held(a)));
  }

  close(): void {}

  private hostTable() {
    const held = (host: Host) => this.states.get(host.id)?.heldBack ?? 0;
    return table<Host>("Hosts behind it", "", ({ id }) => id, [
      {
        header: "Host",
        cell: targetCell(
          this.context,
          ({ id }) => ({ kind: "host", id }),
          ({ id }) => id,
        ),
      },
      { header: "Endpoints", classes: "number", cell: textCell((h) => String(h.endpointCount)) },
      {
        header: "Sends",
        classes: "number",
        cell: textCell(({ id, connected }) =>
          connected ? rate(this.states.get(id)?.deliveredBitsPerSecond ?? 0) : NOT_KNOWN,
        ),
      },
      {
        header: "State",
        cell: badgeCell(
          (host) => (held(host) > 0 ? `${String(held(host))} held back` : ""),
          ({ id }) => {
            const state = this.states.get(id);
            return state !== undefined && hostsClass(state) === "floods" ? "congested" : "busy";
          },
        ),
      },
    ]);
  }
}

function portTable(context: Context) {
  return table<Port>("Ports", "None of its ports is reported.", ({ id }) => id, [
    {
      header: "Port",
      classes: "name",
      cell: targetCell(
        context,
        ({ id }) => ({ kind: "port", id }),
        ({ id }) => context.names.ofPort(id),
      ),
    },
    {
      header: "Load",
      classes: "wide",
      cell: barCell(loadShare, loadText, portSeverity),
    },
  ]);
}
