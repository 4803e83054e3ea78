// SPDX-License-Identifier: Apache-2.0
import { TimeChart } from "../charts/plot";
import type { Context } from "../context";
import { element, setText, showLines } from "../dom";
import { percent, rate } from "../format";
import type { QueueReader } from "../live/queues";
import type { Port } from "../model";
import { entryText } from "../view/journal";
import {
  competitors,
  countersFromText,
  limitedAt,
  marksFromText,
  portText,
  queueText,
} from "../view/ports";
import { CompetitorsTable } from "./competitors";
import type { Details } from "./details";
import { Facts } from "./facts";
import { PolledResource } from "./resource";

const ENTRIES = 8;

/** A port: its state, who sends through it, what waits there. */
export class PortDetails implements Details {
  readonly root: HTMLElement;
  private readonly summary = element("p", "why-summary");
  private readonly facts = new Facts();
  private readonly users;
  private readonly usersHeading = element("h3", "", "Who sends through it");
  private readonly problem = element("p", "quiet-text");
  private readonly queueHeading = element("h3", "", "Queue");
  private readonly chart = new TimeChart("Queue over the last five minutes", (packets) =>
    packets.toFixed(0),
  );
  private readonly journalHeading = element("h3", "", "Decisions about it");
  private readonly journal = element("ul", "why-journal");
  private readonly resource;
  private id = "";

  constructor(
    private readonly context: Context,
    private readonly queues: QueueReader,
  ) {
    this.users = new CompetitorsTable(context);
    this.resource = new PolledResource(
      (endpoint) => context.rest.readExplanation(endpoint),
      () => this.update(this.id),
    );
    this.root = element(
      "div",
      "",
      this.summary,
      this.usersHeading,
      this.users.root,
      this.problem,
      this.queueHeading,
      this.chart.root,
      element("h3", "", "Now"),
      this.facts.root,
      this.journalHeading,
      this.journal,
    );
  }

  heading(id: string): string {
    return `Port ${this.context.names.ofPort(id)}`;
  }

  update(id: string): void {
    this.id = id;
    this.queues.wanted(this.context.now());
    const { state, names } = this.context;
    const port = state.ports.get(id);
    setText(this.summary, port === undefined ? "It is no longer reported." : sentence(port));
    this.showFacts(id, port);
    this.showUsers(id);
    this.showQueue(id);
    const entries = state.journal.filter((entry) => entry.port === id).slice(0, ENTRIES);
    this.journalHeading.hidden = entries.length === 0;
    showLines(
      this.journal,
      entries.map((entry) => entryText(entry, names)),
    );
  }

  close(): void {
    this.resource.select(undefined);
  }

  private showFacts(id: string, port: Port | undefined): void {
    const queues = this.queues.byPort.get(id);
    const known: (readonly [string, string])[] =
      port === undefined
        ? []
        : [
            ["Load", `${rate(port.loadBitsPerSecond)} of ${rate(port.capacityBitsPerSecond)}`],
            ["Capacity from", port.capacitySource === "configured" ? "configuration" : "switch"],
            ["CE share", percent(port.ceShare)],
            ["Marks counted by", marksFromText(port)],
            ["Counters from", countersFromText(port)],
          ];
    this.facts.update([
      ...known,
      ...(queues === undefined ? [] : [["Queue", queueText(queues)] as const]),
      ["Id", id],
    ]);
  }

  /** An endpoint that is limited here can be explained, and the explanation names the others. */
  private showUsers(id: string): void {
    const [first] = limitedAt(id, this.context.state.endpoints.values());
    this.resource.select(first?.id);
    const { value: why, problem } = this.resource;
    const found = why === undefined ? undefined : competitors(id, why);
    this.usersHeading.hidden = found === undefined && problem === undefined;
    this.users.root.hidden = found === undefined;
    setText(this.problem, problem ?? "");
    if (found !== undefined) {
      this.users.update(found);
    }
  }

  private showQueue(id: string): void {
    const moments = this.queues.of(id);
    const threshold = this.queues.byPort.get(id)?.thresholdPackets ?? null;
    this.queueHeading.hidden = moments.length < 2;
    this.chart.root.hidden = moments.length < 2;
    if (moments.length < 2) {
      return;
    }
    const line = {
      label: "packets",
      colour: "accent",
      values: moments.map(({ backlogPackets }) => backlogPackets),
    };
    const bound = {
      label: "threshold",
      colour: "congested-text",
      isDashed: true,
      values: moments.map(() => threshold),
    };
    this.chart.update(
      moments.map(({ at }) => at),
      threshold === null ? [line] : [line, bound],
    );
  }
}

function sentence(port: Port): string {
  return port.congested
    ? `Congested: ${portText(port)}.`
    : `Not congested: ${rate(port.loadBitsPerSecond)} of ${rate(port.capacityBitsPerSecond)}.`;
}
