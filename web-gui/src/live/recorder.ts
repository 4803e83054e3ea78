// SPDX-License-Identifier: Apache-2.0
import type { RateMoment, TenantRate } from "../model";
import { History } from "./history";
import type { State } from "./state";

const LINE_SECONDS = 60;
/** How far back charts go at first. */
export const CHART_SECONDS = 300;
/** How far back they can: as far as the controller remembers. */
export const HISTORY_SECONDS = 3600;
/** Between two moments that the controller kept. */
const STEP_SECONDS = 5;
/** Ports beyond that are not kept apart in the charts. */
const CHARTED_PORTS = 32;
/** Without a report for so long, a line would connect what it knows nothing between. */
const GAP_MILLIS = 3500;

/** What each tenant got at a moment, and at congested ports what its weight comes to. */
export interface Moment {
  /** The controller's clock, in seconds. */
  at: number;
  /** bit/s by tenant, of all that its endpoints send. */
  total: ReadonlyMap<string, number>;
  ports: ReadonlyMap<string, PortMoment>;
}

/** What was at a port. */
export interface PortMoment {
  /** bit/s by tenant, of its endpoints that are limited there. */
  delivered: ReadonlyMap<string, number>;
  /** bit/s by tenant that its weight of then came to there; without tenants that are not known. */
  due: ReadonlyMap<string, number>;
}

/** What was, second by second: by the controller's clock, not by when it was received. */
export class Recorder {
  readonly portLoads = new History(LINE_SECONDS);
  readonly endpointRates = new History(LINE_SECONDS);
  /** Oldest first; undefined where nothing was reported for a time. */
  readonly moments: (Moment | undefined)[] = [];
  private readonly dropped = new Map<string, { packets: number; perSecond: number }>();
  private last = 0;

  /** Takes what is known at a report of the controller's clock. */
  record(state: State): void {
    const { at } = state;
    if (at === this.last) {
      return;
    }
    if (at < this.last) {
      this.beginAnew();
    }
    const isGap = this.last > 0 && at - this.last > GAP_MILLIS;
    const seconds = (at - this.last) / 1000;
    this.last = at;
    if (isGap) {
      this.moments.push(undefined);
    }
    const loads = new Map<string, number>();
    for (const port of state.ports.values()) {
      loads.set(port.id, port.loadBitsPerSecond);
    }
    this.portLoads.add(loads);
    this.recordEndpoints(state, seconds);
    this.moments.push(momentOf(state));
    while (
      (this.moments.find((each) => each !== undefined)?.at ?? 0) <
      at / 1000 - HISTORY_SECONDS
    ) {
      this.moments.shift();
    }
  }

  /** Takes what the controller kept of the time before the first report. */
  precede(kept: readonly RateMoment[]): void {
    const first = this.moments.find((each) => each !== undefined)?.at ?? Infinity;
    const before: (Moment | undefined)[] = [];
    let last: number | undefined;
    const addGapUntil = (at: number) => {
      if (last !== undefined && at - last > 2 * STEP_SECONDS) {
        before.push(undefined);
      }
      last = at;
    };
    for (const each of kept) {
      const moment = keptMoment(each);
      if (moment.at < first) {
        addGapUntil(moment.at);
        before.push(moment);
      }
    }
    if (first !== Infinity) {
      addGapUntil(first);
    }
    this.moments.unshift(...before);
  }

  /** The moments of the last so many seconds. */
  since(seconds: number): readonly (Moment | undefined)[] {
    const oldest = this.last / 1000 - seconds;
    const begin = this.moments.findIndex((each) => each !== undefined && each.at >= oldest);
    return begin < 0 ? [] : this.moments.slice(begin);
  }

  /** Packets that an endpoint's host drops of it in a second. */
  dropsPerSecond(endpoint: string): number {
    return this.dropped.get(endpoint)?.perSecond ?? 0;
  }

  /** The controller's clock was set back: what was recorded is of times that are to come again. */
  private beginAnew(): void {
    this.moments.length = 0;
    this.dropped.clear();
    this.last = 0;
  }

  private recordEndpoints(state: State, seconds: number): void {
    const rates = new Map<string, number>();
    for (const { id, deliveredBitsPerSecond, droppedPackets } of state.endpoints.values()) {
      if (deliveredBitsPerSecond === null || droppedPackets === null) {
        continue;
      }
      rates.set(id, deliveredBitsPerSecond);
      const before = this.dropped.get(id)?.packets;
      // Counters begin anew with the agent's session.
      const since = before === undefined ? 0 : Math.max(0, droppedPackets - before);
      this.dropped.set(id, { packets: droppedPackets, perSecond: since / seconds });
    }
    for (const id of this.dropped.keys()) {
      if (!rates.has(id)) {
        this.dropped.delete(id);
      }
    }
    this.endpointRates.add(rates);
  }
}

function keptMoment({ time, tenants, ports }: RateMoment): Moment {
  const delivered = (rates: readonly TenantRate[]) =>
    new Map(rates.map(({ tenant, deliveredBitsPerSecond }) => [tenant, deliveredBitsPerSecond]));
  return {
    at: Date.parse(time) / 1000,
    total: delivered(tenants),
    ports: new Map(
      ports.map(({ port, tenants: there }) => {
        const due = new Map<string, number>();
        for (const { tenant, dueByWeightBitsPerSecond } of there) {
          if (dueByWeightBitsPerSecond !== null) {
            due.set(tenant, dueByWeightBitsPerSecond);
          }
        }
        return [port, { delivered: delivered(there), due }];
      }),
    ),
  };
}

function momentOf(state: State): Moment {
  const total = new Map<string, number>();
  const delivered = new Map<string, Map<string, number>>();
  const congested = [...state.ports.values()]
    .filter((port) => port.congested)
    .sort((a, b) => b.loadBitsPerSecond - a.loadBitsPerSecond)
    .slice(0, CHARTED_PORTS);
  for (const port of congested) {
    delivered.set(port.id, new Map());
  }
  for (const { tenant, deliveredBitsPerSecond, limits } of state.endpoints.values()) {
    if (deliveredBitsPerSecond === null) {
      continue;
    }
    total.set(tenant, (total.get(tenant) ?? 0) + deliveredBitsPerSecond);
    for (const { port } of limits) {
      const there = delivered.get(port);
      there?.set(tenant, (there.get(tenant) ?? 0) + deliveredBitsPerSecond);
    }
  }
  const weights = new Map(state.tenants.map(({ id, weight }) => [id, weight]));
  const ports = new Map(
    congested.map(({ id, unitShareBitsPerSecond }): [string, PortMoment] => {
      const there = delivered.get(id) ?? new Map<string, number>();
      const due = new Map<string, number>();
      for (const tenant of there.keys()) {
        const weight = weights.get(tenant);
        if (weight !== undefined && unitShareBitsPerSecond !== null) {
          due.set(tenant, weight * unitShareBitsPerSecond);
        }
      }
      return [id, { delivered: there, due }];
    }),
  );
  return { at: state.at / 1000, total, ports };
}
