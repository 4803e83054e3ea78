// SPDX-License-Identifier: Apache-2.0
import type { PortRef, Topology } from "./model";

const DATAPATH = /^of:0*([0-9a-f]+)$/;
/**
 * A switch's port, `leaf1:eth3 -> spine1 (of:0000000000000001/5)` or its id alone, a switch, and a host's receive port, as REST and
 * the journal write them.
 */
const PORT_IN_TEXT =
  /[^\s:]+:\S+(?: -> [^()]+)? \((of:[0-9a-f]{16}\/\d+)\)|of:[0-9a-f]{16}\/\d+|of:[0-9a-f]{16}|host:[\w.-]+\/[\w.-]*\w/g;

export function portId({ datapath, number }: PortRef): string {
  return `${datapath}/${String(number)}`;
}

/** Names for people of switches and their ports, by what is connected to what. */
export class Names {
  private readonly switches = new Map<string, string>();
  /** What a port leads to. */
  private readonly beyond = new Map<string, string>();

  /**
   * Names of a topology.
   *
   * @param named what the controller calls a port
   */
  constructor(
    topology: Topology | undefined,
    private readonly named: (port: string) => string | null | undefined,
  ) {
    if (topology === undefined) {
      return;
    }
    for (const { datapath, name } of topology.switches) {
      if (name !== "" && name !== datapath) {
        this.switches.set(datapath, name);
      }
    }
    for (const { source, target } of topology.links) {
      this.beyond.set(portId(source), this.ofSwitch(target.datapath));
    }
    const hosts = new Map<string, string[]>();
    for (const { host, port } of topology.attachments) {
      if (host !== null) {
        const there = hosts.get(portId(port)) ?? [];
        hosts.set(portId(port), there.includes(host) ? there : [...there, host]);
      }
    }
    for (const [port, names] of hosts) {
      const [first, ...others] = names;
      this.beyond.set(
        port,
        others.length === 0 ? `${first ?? ""}` : `${first ?? ""} +${String(others.length)}`,
      );
    }
  }

  /** `s1`, or else `switch 1` by what is significant of its datapath id. */
  ofSwitch(datapath: string): string {
    return (
      this.switches.get(datapath) ?? datapath.replace(DATAPATH, (_, id: string) => `switch ${id}`)
    );
  }

  /** `s1:5 -> s2`: from which switch, by which port, to where; as the controller says it, if it does. */
  ofPort(id: string): string {
    if (id.startsWith("host:")) {
      return `what ${id.slice("host:".length)} receives`;
    }
    const known = this.named(id);
    if (typeof known === "string") {
      return known;
    }
    const slash = id.lastIndexOf("/");
    const name = this.ofSwitch(id.slice(0, slash));
    const number = id.slice(slash + 1);
    const beyond = this.beyond.get(id);
    return `${name}:${number}${beyond === undefined ? "" : ` -> ${beyond}`}`;
  }

  /** A sentence of the controller with the ids of switches and ports in it replaced by their names. */
  inText(text: string): string {
    return text.replace(PORT_IN_TEXT, (found: string, labelled: string | undefined) => {
      const id = labelled ?? found;
      return id.includes("/") ? this.ofPort(id) : this.ofSwitch(id);
    });
  }
}
