// SPDX-License-Identifier: Apache-2.0
import type { Rest } from "../api";
import type { Queues } from "../model";
import { CHART_SECONDS } from "./recorder";

const PERIOD_MILLIS = 1000;

/** What waited at a port at a moment. */
export interface QueueMoment {
  /** The controller's clock, in seconds. */
  at: number;
  backlogPackets: number;
}

/** Queues of ports, which the stream does not bring: read while they are shown. */
export class QueueReader {
  readonly byPort = new Map<string, Queues>();
  private readonly moments = new Map<string, QueueMoment[]>();
  private isReading = false;
  private nextRead = 0;

  constructor(
    private readonly rest: Rest,
    private readonly changed: () => void,
  ) {}

  /** What was read of a port lately, oldest first. */
  of(port: string): readonly QueueMoment[] {
    return this.moments.get(port) ?? [];
  }

  /** Reads them, unless that was done just now. */
  wanted(controllerMillis: number): void {
    if (this.isReading || performance.now() < this.nextRead) {
      return;
    }
    this.isReading = true;
    void this.read(controllerMillis / 1000).finally(() => {
      this.isReading = false;
      this.nextRead = performance.now() + PERIOD_MILLIS;
    });
  }

  private async read(at: number): Promise<void> {
    let all: Queues[];
    try {
      all = (await this.rest.read<{ queues: Queues[] }>("ports/queues")).queues;
    } catch {
      // The state of the contact is shown elsewhere; lengths that are not known are not shown.
      this.byPort.clear();
      return;
    }
    this.byPort.clear();
    for (const queues of all) {
      this.byPort.set(queues.port, queues);
      // None is of a time to come, unless the controller's clock was set back.
      const before = this.of(queues.port).filter(
        (moment) => moment.at <= at && moment.at >= at - CHART_SECONDS,
      );
      this.moments.set(queues.port, [...before, { at, backlogPackets: queues.backlogPackets }]);
    }
    for (const port of this.moments.keys()) {
      if (!this.byPort.has(port)) {
        this.moments.delete(port);
      }
    }
    this.changed();
  }
}
