// SPDX-License-Identifier: Apache-2.0
import { getsColumn, stateColumn } from "../columns";
import type { Context, Panel } from "../context";
import { button, byId, element, shape } from "../dom";
import { percent, rate } from "../format";
import type { Endpoint, Port } from "../model";
import { Drawing } from "../topology/drawing";
import { endpointsByConcern, limitedByText } from "../view/endpoints";
import { activeText, byConcern, loadShare, loadText, portSeverity } from "../view/ports";
import { LINK_CLASSES, type LinkClass } from "../view/topology";
import { barCell, CountedHeading, table, targetCell, tenantCell, textCell } from "../widgets";

const ZOOM_STEP = 1.6;

const LEGEND: Record<LinkClass, string> = {
  unknown: "no counters",
  idle: "under 40 %",
  loaded: "40 to 80 %",
  busy: "80 % and more",
  congested: "congested, under control",
};

/** The network as it is drawn, and below it what needs attention in words. */
export class NetworkPanel implements Panel {
  private readonly drawing: Drawing;
  private readonly picture: HTMLElement;
  private readonly zoom: HTMLElement;
  private readonly none = element("p", "nothing");
  private readonly portsHeading = new CountedHeading("Congested ports");
  private readonly endpointsHeading = new CountedHeading("Held back");
  private readonly ports;
  private readonly endpoints;

  constructor(private readonly context: Context) {
    this.drawing = new Drawing(context);
    this.picture = element("div", "", this.drawing.root, legend());
    this.zoom = element(
      "div",
      "zoom",
      iconButton("−", "Smaller", () => this.drawing.zoomBy(1 / ZOOM_STEP)),
      iconButton("Fit", "Fit the whole network", () => this.drawing.fit()),
      iconButton("+", "Larger", () => this.drawing.zoomBy(ZOOM_STEP)),
    );
    this.ports = congestedTable(context);
    this.endpoints = heldBackTable(context);
    byId("network").append(
      element(
        "div",
        "card",
        element("div", "card-head", element("h2", "", "Topology"), this.zoom),
        this.picture,
        this.none,
      ),
      element(
        "div",
        "columns",
        element("div", "card", this.portsHeading.root, this.ports.root),
        element("div", "card", this.endpointsHeading.root, this.endpoints.root),
      ),
    );
  }

  update(): void {
    const { state, recorder } = this.context;
    const { topology } = state;
    const hasSwitches = topology !== undefined && topology.switches.length > 0;
    this.picture.hidden = !hasSwitches;
    this.zoom.hidden = !hasSwitches;
    this.none.hidden = hasSwitches;
    if (hasSwitches) {
      this.drawing.update(topology);
    } else {
      this.none.textContent =
        topology === undefined
          ? "This controller does not serve the topology."
          : "No switch is connected to the controller yet.";
    }
    const congested = [...state.ports.values()].filter((port) => port.congested);
    this.portsHeading.show(congested.length);
    this.ports.update(byConcern(congested, (port) => state.ports.rank(port)));
    const held = [...state.endpoints.values()].filter((endpoint) => endpoint.heldBack);
    this.endpointsHeading.show(held.length);
    this.endpoints.update(
      endpointsByConcern(
        held,
        (id) => recorder.dropsPerSecond(id),
        (endpoint) => state.endpoints.rank(endpoint),
      ),
    );
  }
}

function congestedTable(context: Context) {
  return table<Port>("Congested ports", "No port is congested.", (port) => port.id, [
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
    {
      header: "CE",
      classes: "number extra",
      cell: textCell((port) => percent(port.ceShare)),
    },
    {
      header: "Weight 1 gets",
      classes: "number",
      cell: textCell((port) => rate(port.unitShareBitsPerSecond)),
    },
    {
      header: "Active",
      classes: "number extra",
      cell: textCell(activeText),
    },
  ]);
}

function heldBackTable(context: Context) {
  return table<Endpoint>("Held back", "Every endpoint gets what it sends.", (e) => e.id, [
    {
      header: "Endpoint",
      cell: targetCell(
        context,
        ({ id }) => ({ kind: "endpoint", id }),
        ({ id }) => id,
      ),
    },
    { header: "Tenant", classes: "extra", cell: tenantCell(context, (e) => e.tenant) },
    getsColumn(context),
    {
      header: "Limited by",
      classes: "name",
      cell: textCell((e) => limitedByText(e, context.names)),
    },
    stateColumn(context),
  ]);
}

function iconButton(text: string, meaning: string, press: () => void): HTMLButtonElement {
  const made = button("tool-button", text, press);
  made.setAttribute("aria-label", meaning);
  made.title = meaning;
  return made;
}

function legend(): HTMLElement {
  const links = LINK_CLASSES.map((name) =>
    element(
      "li",
      "",
      shape(
        "svg",
        { viewBox: "0 0 26 8", class: "legend-line", "aria-hidden": "true" },
        shape("path", { class: `link ${name}`, d: "M1 4H25" }),
      ),
      LEGEND[name],
    ),
  );
  const signs = [
    element("li", "", element("span", "legend-sign held", "▼"), "held back"),
    element("li", "", element("span", "legend-sign floods", "▼"), "floods"),
  ];
  return element("ul", "legend", ...links, ...signs);
}
