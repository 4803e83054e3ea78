// SPDX-License-Identifier: Apache-2.0
// What the chart of tenants' shares shows, from what was recorded.
import type { Moment } from "../live/recorder";
import { compareKeys } from "../live/state";
import type { Line } from "./plot";

/** More lines than that cannot be distinguished. */
const MOST_TENANTS = 8;

/** Everything that tenants send, wherever. */
export const WHOLE_NETWORK = "";

/** Ports that were congested at some recorded moment, those congested last before others. */
export function chartedPorts(moments: readonly (Moment | undefined)[]): string[] {
  const last = new Map<string, number>();
  moments.forEach((moment, i) => {
    for (const port of moment?.ports.keys() ?? []) {
      last.set(port, i);
    }
  });
  return [...last].sort(([, a], [, b]) => b - a).map(([port]) => port);
}

/** Tenants' rates over time; at a port each beside what its weight comes to there. */
export function shareLines(
  moments: readonly (Moment | undefined)[],
  port: string,
  colours: ReadonlyMap<string, string>,
): { at: number[]; lines: Line[] } {
  const at = timesOf(moments);
  const isWhole = port === WHOLE_NETWORK;
  const rates = moments.map((moment) =>
    isWhole ? moment?.total : moment?.ports.get(port)?.delivered,
  );
  const lines = greatest(rates)
    .slice(0, MOST_TENANTS)
    .sort(compareKeys)
    .flatMap((id): Line[] => {
      const colour = colours.get(id) ?? "tenant-default";
      const sent = { label: id, colour, values: rates.map((each) => each?.get(id) ?? null) };
      const due = moments.map((moment) => moment?.ports.get(port)?.due.get(id) ?? null);
      if (due.every((each) => each === null)) {
        return [sent];
      }
      return [sent, { label: `${id} by weight`, colour, isDashed: true, values: due }];
    });
  return { at, lines };
}

/** A gap lies just after the moment before it. */
function timesOf(moments: readonly (Moment | undefined)[]): number[] {
  let last = 0;
  return moments.map((moment) => (last = moment?.at ?? last + 0.001));
}

/** Tenants by what they sent together, the greatest first. */
function greatest(rates: readonly (ReadonlyMap<string, number> | undefined)[]): string[] {
  const sums = new Map<string, number>();
  for (const each of rates) {
    for (const [tenant, rate] of each ?? []) {
      sums.set(tenant, (sums.get(tenant) ?? 0) + rate);
    }
  }
  return [...sums].sort(([, a], [, b]) => b - a).map(([tenant]) => tenant);
}
