// SPDX-License-Identifier: Apache-2.0
import { getsColumn, stateColumn } from "../columns";
import type { Context, Panel } from "../context";
import { byId, element } from "../dom";
import { address } from "../format";
import type { Endpoint } from "../model";
import {
  dropsText,
  endpointsByConcern,
  limitedByText,
  lowestLimit,
  matches,
  waitsText,
  wordsOf,
} from "../view/endpoints";
import {
  CountedHeading,
  filterField,
  lineCell,
  table,
  targetCell,
  tenantCell,
  textCell,
} from "../widgets";

const LINE_SECONDS = 60;

/** All endpoints, those held back first. */
export class EndpointsPanel implements Panel {
  private readonly heading = new CountedHeading("Endpoints");
  private readonly filter = filterField("Filter by name, tenant or address", () => this.update());
  private readonly heldOnly = element("input");
  private readonly endpoints;

  constructor(private readonly context: Context) {
    this.heldOnly.type = "checkbox";
    this.heldOnly.addEventListener("change", () => this.update());
    this.endpoints = endpointTable(context);
    byId("endpoints").append(
      element(
        "div",
        "card",
        element(
          "div",
          "card-head",
          this.heading.root,
          element("label", "check", this.heldOnly, " Held back only"),
          this.filter,
        ),
        this.endpoints.root,
      ),
    );
  }

  update(): void {
    const { state, recorder } = this.context;
    const words = wordsOf(this.filter.value);
    const shown = [...state.endpoints.values()].filter(
      (endpoint) =>
        (endpoint.heldBack || !this.heldOnly.checked) &&
        (words.length === 0 || matches(endpoint, words)),
    );
    this.heading.show(shown.length);
    this.endpoints.update(
      endpointsByConcern(
        shown,
        (id) => recorder.dropsPerSecond(id),
        (endpoint) => state.endpoints.rank(endpoint),
      ),
    );
  }
}

function endpointTable(context: Context) {
  const { recorder } = context;
  const drops = ({ id }: Endpoint) => recorder.dropsPerSecond(id);
  const highest = (e: Endpoint) =>
    Math.max(...recorder.endpointRates.of(e.id), lowestLimit(e) ?? 0, 1e-3);
  return table<Endpoint>("Endpoints", "No agent has reported an endpoint.", (e) => e.id, [
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
      classes: "wide",
      cell: textCell((e) => limitedByText(e, context.names)),
    },
    stateColumn(context),
    {
      header: "Waits",
      classes: "number extra",
      cell: textCell(waitsText),
    },
    { header: "Dropped", classes: "number extra", cell: textCell((e) => dropsText(e, drops(e))) },
    {
      header: "Last minute",
      classes: "extra",
      cell: lineCell((e) => recorder.endpointRates.of(e.id), LINE_SECONDS, highest),
    },
    {
      header: "Addresses",
      classes: "extra",
      cell: textCell((e) => e.ips.map(address).join(", "), "mono"),
    },
  ]);
}
