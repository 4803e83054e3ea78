// SPDX-License-Identifier: Apache-2.0
import { Timeline } from "../charts/timeline";
import type { Context, Panel } from "../context";
import { button, byId, element, setText, type View } from "../dom";
import { registerDeadline } from "../edit/flow";
import { bytes, timeOfDay, until } from "../format";
import type { Flow } from "../model";
import { registersDeadlines } from "../view/access";
import {
  arrivedShare,
  byUrgency,
  flowSeverity,
  flowStateText,
  flowText,
  isOpen,
} from "../view/flows";
import {
  badgeCell,
  barCell,
  CountedHeading,
  table,
  targetCell,
  tenantCell,
  textCell,
} from "../widgets";

/** Flows with deadlines, the most urgent first. */
export class DeadlinesPanel implements Panel {
  private readonly heading = new CountedHeading("Deadlines");
  private readonly timeline = new Timeline();
  private readonly problem = element("p", "problem");
  private readonly registerButton: HTMLButtonElement;
  private readonly flows;

  constructor(private readonly context: Context) {
    this.problem.setAttribute("role", "alert");
    this.registerButton = button("plain-button", "Register a deadline", () =>
      registerDeadline(context.rest),
    );
    this.flows = this.table();
    byId("deadlines").append(
      element(
        "div",
        "card",
        element("div", "card-head", this.heading.root, this.registerButton),
        this.problem,
        this.timeline.root,
        this.flows.root,
      ),
    );
  }

  update(): void {
    const { state } = this.context;
    this.registerButton.hidden = !registersDeadlines(state.access);
    this.heading.show(state.flows.size);
    this.timeline.update(state.flows.values(), this.context.now());
    this.flows.update(byUrgency(state.flows.values()));
  }

  private table() {
    const { context } = this;
    return table<Flow>(
      "Deadlines",
      "No flow with a deadline is registered.",
      ({ id }) => String(id),
      [
        {
          header: "Flow",
          cell: targetCell(context, ({ id }) => ({ kind: "flow", id: String(id) }), flowText),
        },
        { header: "Tenant", classes: "extra", cell: tenantCell(context, ({ tenant }) => tenant) },
        {
          header: "Arrived",
          classes: "wide",
          cell: barCell(
            arrivedShare,
            (flow) => `${bytes(flow.sizeBytes - flow.remainingBytes)} of ${bytes(flow.sizeBytes)}`,
            flowSeverity,
          ),
        },
        {
          header: "Due",
          classes: "number",
          cell: textCell(({ deadline }) => until(deadline, context.now())),
        },
        {
          header: "Deadline",
          classes: "extra",
          cell: textCell(({ deadline }) => timeOfDay(deadline), "mono"),
        },
        { header: "State", cell: badgeCell(flowStateText, flowSeverity) },
        { header: "Change", classes: "actions", cell: () => this.withdrawCell() },
      ],
    );
  }

  private withdrawCell(): View<Flow> {
    let shown = 0;
    const root = button("quiet-button", "Withdraw", () => void this.withdraw(shown));
    return {
      root,
      update: (flow) => {
        shown = flow.id;
        root.setAttribute("aria-label", `Withdraw ${flowText(flow)}`);
        root.hidden = !registersDeadlines(this.context.state.access) || !isOpen(flow);
      },
    };
  }

  private async withdraw(id: number): Promise<void> {
    setText(this.problem, "");
    const path = `flows/${String(id)}`;
    try {
      const { tag } = await this.context.rest.readTagged<Flow>(path);
      await this.context.rest.change("DELETE", path, undefined, tag);
    } catch (error) {
      setText(this.problem, error instanceof Error ? error.message : String(error));
    }
  }
}
