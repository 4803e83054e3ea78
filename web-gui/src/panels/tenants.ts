// SPDX-License-Identifier: Apache-2.0
import { chartedPorts, shareLines, WHOLE_NETWORK } from "../charts/shares";
import { TimeChart } from "../charts/plot";
import type { Context, Panel } from "../context";
import { CHART_SECONDS, HISTORY_SECONDS } from "../live/recorder";
import { button, byId, element, setText, type View } from "../dom";
import { count, rate, significant } from "../format";
import { addTenant, editTenant, removeTenant } from "../edit/tenant";
import type { Tenant } from "../model";
import { changesTenants } from "../view/access";
import { getsText } from "../view/endpoints";
import {
  boundText,
  memberText,
  amissText,
  totalsByTenant,
  weightShare,
  type TenantTotals,
} from "../view/tenants";
import { barCell, CountedHeading, table, tenantCell, textCell } from "../widgets";

/** The tenant of all endpoints that no other one claims: it cannot be removed. */
const DEFAULT_TENANT = "default";

/** What tenants are due, and what they get. */
export class TenantsPanel implements Panel {
  private readonly heading = new CountedHeading("Tenants");
  private readonly where = element("select");
  private readonly howLong = element("select");
  private readonly chart = new TimeChart(
    "Rates of tenants over time; the table below has their present values",
    rate,
  );
  private readonly problem = element("p", "problem");
  private readonly addButton: HTMLButtonElement;
  private readonly tenants;
  private totals = new Map<string, TenantTotals>();
  /** Whether the user chose a port; until then it is the most congested port. */
  private isChosen = false;

  constructor(private readonly context: Context) {
    this.where.setAttribute("aria-label", "Where");
    this.where.addEventListener("change", () => {
      this.isChosen = true;
      this.update();
    });
    this.howLong.setAttribute("aria-label", "How long");
    this.howLong.append(
      new Option("Last 5 minutes", String(CHART_SECONDS)),
      new Option("Last hour", String(HISTORY_SECONDS)),
    );
    this.howLong.addEventListener("change", () => this.update());
    this.problem.setAttribute("role", "alert");
    this.addButton = button("plain-button", "Add a tenant", () => addTenant(context.rest));
    this.tenants = this.table();
    byId("tenants").append(
      element(
        "div",
        "card",
        element(
          "div",
          "card-head",
          element("h2", "", "Shares over time"),
          this.howLong,
          this.where,
        ),
        this.chart.root,
      ),
      element(
        "div",
        "card",
        element("div", "card-head", this.heading.root, this.addButton),
        this.problem,
        this.tenants.root,
      ),
    );
  }

  update(): void {
    const { state, recorder, colours } = this.context;
    this.totals = totalsByTenant(state.endpoints.values());
    this.heading.show(state.tenants.length);
    this.addButton.hidden = !changesTenants(state.access);
    this.tenants.update(state.tenants);
    this.updateChoices();
    const seconds = Number(this.howLong.value);
    const { at, lines } = shareLines(recorder.since(seconds), this.where.value, colours);
    this.chart.update(at, lines, seconds);
  }

  private updateChoices(): void {
    const ports = chartedPorts(this.context.recorder.moments);
    const wanted = [WHOLE_NETWORK, ...ports];
    const before = this.where.value;
    const there = [...this.where.options].map(({ value }) => value);
    if (wanted.length !== there.length || wanted.some((port) => !there.includes(port))) {
      this.where.replaceChildren(
        ...wanted.map((port) => {
          const name = port === WHOLE_NETWORK ? "Whole network" : this.context.names.ofPort(port);
          return new Option(name, port, false, port === before);
        }),
      );
    }
    if (!this.isChosen) {
      this.where.value = ports[0] ?? WHOLE_NETWORK;
    }
  }

  private table() {
    const { context } = this;
    const total = ({ id }: Tenant) => this.totals.get(id);
    return table<Tenant>("Tenants", "There is no tenant.", (tenant) => tenant.id, [
      { header: "Tenant", cell: tenantCell(context, ({ id }) => id) },
      {
        header: "Weight",
        cell: barCell(
          (tenant) => weightShare(tenant, context.state.tenants),
          ({ weight }) => significant(weight),
          ({ id }) => context.colours.get(id) ?? "tenant-default",
        ),
      },
      {
        header: "Gets",
        classes: "number",
        cell: textCell((tenant) => {
          const its = total(tenant);
          return its === undefined ? rate(0) : getsText(its);
        }),
      },
      {
        header: "Amiss",
        classes: "wide",
        cell: textCell(({ id }) => {
          const { endpoints, ports } = context.state;
          return amissText(id, endpoints.values(), ports.values(), context.names) || "–";
        }),
      },
      {
        header: "Held back",
        classes: "number extra",
        cell: textCell((tenant) => {
          const { heldBack, endpoints } = total(tenant) ?? { heldBack: 0, endpoints: 0 };
          return `${count(heldBack)} / ${count(endpoints)}`;
        }),
      },
      {
        header: "Guarantee",
        classes: "number extra",
        cell: textCell(({ guaranteeBitsPerSecond }) => boundText(guaranteeBitsPerSecond)),
      },
      {
        header: "Ceiling",
        classes: "number extra",
        cell: textCell(({ ceilingBitsPerSecond }) => boundText(ceilingBitsPerSecond)),
      },
      {
        header: "Receive ceiling",
        classes: "number extra",
        cell: textCell(({ receiveCeilingBitsPerSecond }) => boundText(receiveCeilingBitsPerSecond)),
      },
      { header: "ECN", classes: "extra", cell: textCell(({ ecn }) => ecn) },
      {
        header: "Members",
        classes: "wide extra",
        cell: textCell(({ members }) => members.map(memberText).join(", ") || "–", "mono"),
      },
      { header: "Change", classes: "actions", cell: () => this.changeCell() },
    ]);
  }

  private changeCell(): View<Tenant> {
    let shown = "";
    const { rest } = this.context;
    const edit = button(
      "quiet-button",
      "Edit",
      () => void this.openDialog(() => editTenant(rest, shown)),
    );
    const remove = button(
      "quiet-button",
      "Remove",
      () => void this.openDialog(() => removeTenant(rest, shown)),
    );
    return {
      root: element("span", "", edit, " ", remove),
      update: ({ id }) => {
        shown = id;
        edit.setAttribute("aria-label", `Edit tenant ${id}`);
        remove.setAttribute("aria-label", `Remove tenant ${id}`);
        edit.hidden = !changesTenants(this.context.state.access);
        remove.hidden = edit.hidden || id === DEFAULT_TENANT;
      },
    };
  }

  private async openDialog(open: () => Promise<void>): Promise<void> {
    setText(this.problem, "");
    try {
      await open();
    } catch (error) {
      setText(this.problem, error instanceof Error ? error.message : String(error));
    }
  }
}
