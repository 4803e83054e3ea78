// SPDX-License-Identifier: Apache-2.0
import { getsColumn, stateColumn } from "../columns";
import type { Context } from "../context";
import { element, showLines } from "../dom";
import { ago, count } from "../format";
import type { Endpoint } from "../model";
import { endpointsByConcern } from "../view/endpoints";
import { agentText, carriedText } from "../view/hosts";
import { table, targetCell } from "../widgets";
import type { Details } from "./details";
import { Facts } from "./facts";

/** A host: its agent, what its kernel lacks, its endpoints. */
export class HostDetails implements Details {
  readonly root: HTMLElement;
  private readonly facts = new Facts();
  private readonly endpoints;
  private readonly lacksHeading = element("h3", "", "Its kernel lacks");
  private readonly lacks = element("ul", "why-lines");

  constructor(private readonly context: Context) {
    this.endpoints = endpointTable(context);
    this.root = element(
      "div",
      "",
      element("h3", "", "Endpoints"),
      this.endpoints.root,
      element("h3", "", "Agent"),
      this.facts.root,
      this.lacksHeading,
      this.lacks,
    );
  }

  heading(id: string): string {
    return `Host ${id}`;
  }

  update(id: string): void {
    const { state, names, recorder } = this.context;
    const host = state.hosts.find((each) => each.id === id);
    this.facts.update(
      host === undefined
        ? [["State", "unknown"]]
        : [
            ["State", agentText(host)],
            ["Last report", ago(host.lastSeen, this.context.now())],
            ["Version", host.agentVersion],
            ["Manages", carriedText(host, names)],
            ["Residual packets dropped", `${count(host.residualDroppedPackets)} packets`],
          ],
    );
    const lacking = host?.missingFeatures ?? [];
    this.lacksHeading.hidden = lacking.length === 0;
    showLines(this.lacks, lacking);
    this.endpoints.update(
      endpointsByConcern(
        [...state.endpoints.values()].filter((endpoint) => endpoint.host === id),
        (endpoint) => recorder.dropsPerSecond(endpoint),
        (endpoint) => state.endpoints.rank(endpoint),
      ),
    );
  }

  close(): void {}
}

function endpointTable(context: Context) {
  return table<Endpoint>("Endpoints", "It has reported no endpoint.", ({ id }) => id, [
    {
      header: "Interface",
      cell: targetCell(
        context,
        ({ id }) => ({ kind: "endpoint", id }),
        (endpoint) => endpoint.interface,
      ),
    },
    getsColumn(context),
    stateColumn(context),
  ]);
}
