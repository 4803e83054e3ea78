// SPDX-License-Identifier: Apache-2.0
import type { Context } from "../context";
import { element, setText, showLines } from "../dom";
import { bytes, timeOfDay, until } from "../format";
import type { FlowExplanation } from "../model";
import { flowStateText, flowText, isOpen } from "../view/flows";
import { entryText } from "../view/journal";
import type { Details } from "./details";
import { Facts } from "./facts";
import { PolledResource } from "./resource";

/** A flow with a deadline: how it fares, and why. */
export class FlowDetails implements Details {
  readonly root: HTMLElement;
  private readonly summary = element("p", "why-summary");
  private readonly lines = element("ul", "why-lines");
  private readonly facts = new Facts();
  private readonly journalHeading = element("h3", "", "Decisions about it");
  private readonly journal = element("ul", "why-journal");
  private readonly resource;
  private id = "";

  constructor(private readonly context: Context) {
    this.resource = new PolledResource(
      (id) => context.rest.read<FlowExplanation>(`flows/${id}/why`),
      () => this.update(this.id),
    );
    this.root = element(
      "div",
      "",
      element("h3", "", "Why"),
      this.summary,
      this.lines,
      element("h3", "", "Now"),
      this.facts.root,
      this.journalHeading,
      this.journal,
    );
  }

  heading(id: string): string {
    return `Deadline ${id}`;
  }

  update(id: string): void {
    this.id = id;
    this.resource.select(id);
    const { value: why, problem } = this.resource;
    const { names, state } = this.context;
    setText(this.summary, names.inText(problem ?? why?.summary ?? "Loading from the controller"));
    showLines(this.lines, why?.lines.map((line) => names.inText(line)) ?? []);
    const entries = why?.journal ?? [];
    this.journalHeading.hidden = entries.length === 0;
    showLines(
      this.journal,
      entries.map((entry) => entryText(entry, names)),
    );
    const flow = state.flows.get(Number(id));
    this.facts.update(
      flow === undefined
        ? [["State", "no longer reported"]]
        : [
            ["Flow", flowText(flow)],
            ["Tenant", flow.tenant],
            ["State", flowStateText(flow)],
            ["Deadline", timeOfDay(flow.deadline)],
            ["Due", isOpen(flow) ? until(flow.deadline, this.context.now()) : "has ended"],
            [
              "Arrived",
              `${bytes(flow.sizeBytes - flow.remainingBytes)} of ${bytes(flow.sizeBytes)}`,
            ],
          ],
    );
  }

  close(): void {
    this.resource.select(undefined);
  }
}
