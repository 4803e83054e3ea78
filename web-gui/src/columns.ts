// SPDX-License-Identifier: Apache-2.0
// What all tables of endpoints show.
import type { Context } from "./context";
import type { Endpoint } from "./model";
import { concernText, floods, sendsText, usedShare } from "./view/endpoints";
import { badgeCell, barCell, type Column } from "./widgets";

/** What gets through of the limit that binds, in the tenant's colour. */
export function getsColumn(context: Context): Column<Endpoint> {
  return {
    header: "Gets",
    classes: "wide",
    cell: barCell(
      usedShare,
      (endpoint) => sendsText(endpoint, context.state.isReported(endpoint)),
      ({ tenant }) => context.colours.get(tenant) ?? "tenant-default",
    ),
  };
}

/** What is the matter with it. */
export function stateColumn({ state, recorder }: Context): Column<Endpoint> {
  const drops = ({ id }: Endpoint) => recorder.dropsPerSecond(id);
  return {
    header: "State",
    cell: badgeCell(
      (endpoint) => concernText(endpoint, drops(endpoint), state.isReported(endpoint)),
      (endpoint) =>
        floods(endpoint, drops(endpoint)) || !state.isReported(endpoint) ? "congested" : "busy",
    ),
  };
}
