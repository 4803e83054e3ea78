// SPDX-License-Identifier: Apache-2.0
import type { Context, Panel } from "../context";
import { byId, element, setClass, setText, type View } from "../dom";
import { percent, rate, significant } from "../format";
import type { QueueReader } from "../live/queues";
import type { Endpoint, Port } from "../model";
import { wordsOf } from "../view/endpoints";
import { byConcern, loadShare, activeText, loadText, portSeverity, queueText } from "../view/ports";
import {
  barCell,
  CountedHeading,
  filterField,
  lineCell,
  table,
  targetCell,
  textCell,
} from "../widgets";

const LINE_SECONDS = 60;
const NAMED_SENDERS = 3;

/** All ports, those of concern first. */
export class PortsPanel implements Panel {
  private readonly heading = new CountedHeading("Ports");
  private readonly filter = filterField("Filter by switch or port", () => this.update());
  private readonly ports;
  /** Endpoints that each port limits, as of the last update. */
  private limited = new Map<string, Endpoint[]>();

  constructor(
    private readonly context: Context,
    private readonly queues: QueueReader,
  ) {
    this.ports = this.table();
    byId("ports").append(
      element(
        "div",
        "card",
        element("div", "card-head", this.heading.root, this.filter),
        this.ports.root,
      ),
    );
  }

  update(): void {
    const { state, names } = this.context;
    this.queues.wanted(this.context.now());
    this.limited = limitedByPort(state.endpoints.values());
    const words = wordsOf(this.filter.value);
    const isFound = ({ id }: Port) => {
      const text = `${id} ${names.ofPort(id)}`.toLowerCase();
      return words.every((word) => text.includes(word));
    };
    const all = [...state.ports.values()];
    const shown = words.length === 0 ? all : all.filter(isFound);
    this.heading.show(shown.length);
    this.ports.update(byConcern(shown, (port) => state.ports.rank(port)));
  }

  private table() {
    const { context } = this;
    return table<Port>("Ports", "No switch port is reported.", (port) => port.id, [
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
        header: "Last minute",
        classes: "extra",
        cell: lineCell(
          (port) => context.recorder.portLoads.of(port.id),
          LINE_SECONDS,
          (port) => port.capacityBitsPerSecond,
        ),
      },
      { header: "CE share", classes: "number", cell: textCell((p) => percent(p.ceShare)) },
      {
        header: "Weight 1 gets",
        classes: "number",
        cell: textCell((port) => rate(port.unitShareBitsPerSecond)),
      },
      { header: "Active", classes: "number extra", cell: textCell(activeText) },
      { header: "Queue", classes: "wide extra", cell: () => this.queueCell() },
      { header: "Who sends", classes: "wide extra", cell: textCell((p) => this.senders(p)) },
    ]);
  }

  private senders({ id }: Port): string {
    const all = this.limited.get(id) ?? [];
    const { state } = this.context;
    const named = all.slice(0, NAMED_SENDERS).map((endpoint) => {
      const weight = state.tenants.find(({ id: tenant }) => tenant === endpoint.tenant)?.weight;
      const ofWeight = weight === undefined ? "" : ` (weight ${significant(weight)})`;
      return `${endpoint.id} ${rate(endpoint.deliveredBitsPerSecond)}${ofWeight}`;
    });
    const others = all.length - named.length;
    return [...named, ...(others > 0 ? [`${String(others)} more`] : [])].join(", ") || "–";
  }

  /** A bar with the threshold as a line across it. */
  private queueCell(): View<Port> {
    const label = element("span", "bar-label");
    const fill = element("span", "fill");
    const threshold = element("span", "threshold");
    const root = element("span", "bar", label, element("span", "track", fill, threshold));
    return {
      root,
      update: ({ id }) => {
        const queues = this.queues.byPort.get(id);
        root.classList.toggle("unknown", queues === undefined);
        setText(label, queues === undefined ? "–" : queueText(queues));
        if (queues === undefined) {
          return;
        }
        const { backlogPackets, bufferPackets, thresholdPackets } = queues;
        const top = bufferPackets ?? Math.max(backlogPackets, 2 * (thresholdPackets ?? 50));
        const isAbove = thresholdPackets !== null && backlogPackets >= thresholdPackets;
        fill.style.width = `${((100 * Math.min(backlogPackets, top)) / top).toFixed(1)}%`;
        setClass(fill, isAbove ? "fill congested" : "fill quiet");
        threshold.hidden = thresholdPackets === null;
        threshold.style.left = `${((100 * (thresholdPackets ?? 0)) / top).toFixed(1)}%`;
      },
    };
  }
}

/** Those with the greatest rates first. */
function limitedByPort(endpoints: Iterable<Endpoint>): Map<string, Endpoint[]> {
  const byPort = new Map<string, Endpoint[]>();
  for (const endpoint of endpoints) {
    for (const { port } of endpoint.limits) {
      const there = byPort.get(port);
      if (there === undefined) {
        byPort.set(port, [endpoint]);
      } else {
        there.push(endpoint);
      }
    }
  }
  for (const there of byPort.values()) {
    there.sort((a, b) => (b.deliveredBitsPerSecond ?? 0) - (a.deliveredBitsPerSecond ?? 0));
  }
  return byPort;
}
