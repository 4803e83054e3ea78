// SPDX-License-Identifier: Apache-2.0
import type { Context } from "../context";
import { element, setText } from "../dom";
import { count, rate, significant } from "../format";
import type { PortUser } from "../model";
import type { Competitors } from "../view/ports";
import { table, targetCell, tenantCell, textCell } from "../widgets";

/** Who sends through a port, with weights and rates. */
export class CompetitorsTable {
  readonly root: HTMLElement;
  private readonly further = element("p", "quiet-text");
  private readonly users;

  constructor(context: Context) {
    this.users = table<PortUser>(
      "Who sends through it",
      "No sender is reported.",
      ({ endpoint }) => endpoint,
      [
        {
          header: "Endpoint",
          cell: targetCell(
            context,
            ({ endpoint }) => ({ kind: "endpoint", id: endpoint }),
            ({ endpoint }) => endpoint,
          ),
        },
        { header: "Tenant", cell: tenantCell(context, ({ tenant }) => tenant) },
        { header: "Weight", classes: "number", cell: textCell((user) => significant(user.weight)) },
        {
          header: "Gets",
          classes: "number",
          cell: textCell((user) => rate(user.deliveredBitsPerSecond)),
        },
      ],
    );
    this.root = element("div", "", this.users.root, this.further);
  }

  update({ users, furtherUsers, furtherBitsPerSecond }: Competitors): void {
    this.users.update(users);
    this.further.hidden = furtherUsers === 0;
    setText(
      this.further,
      furtherUsers === null || furtherBitsPerSecond === null
        ? "and maybe other tenants' endpoints"
        : `and ${count(furtherUsers)} more, ${rate(furtherBitsPerSecond)} together`,
    );
  }
}
