// SPDX-License-Identifier: Apache-2.0
// What all tables of endpoints show.
import type { Context } from "./context";
import type { Endpoint } from "./model";
import { concernText, floods, isReported, sendsText, usedShare } from "./view/endpoints";
import { badgeCell, barCell, type Column } from "./widgets";

/** What gets through of the limit that binds, in the tenant's colour. */
export function getsColumn(context: Context): Column<Endpoint> {
  return {
    header: "Gets",
    classes: "wide",
    cell: barCell(
      usedShare,
      sendsText,
      ({ tenant }) => context.colours.get(tenant) ?? "tenant-default",
    ),
  };
}

/** What is the matter with it. */
export function stateColumn({ recorder }: Context): Column<Endpoint> {
  const drops = ({ id }: Endpoint) => recorder.dropsPerSecond(id);
  return {
    header: "State",
    cell: badgeCell(
      (endpoint) => concernText(endpoint, drops(endpoint)),
      (endpoint) =>
        floods(endpoint, drops(endpoint)) || !isReported(endpoint) ? "congested" : "busy",
    ),
  };
}
