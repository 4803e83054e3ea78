// SPDX-License-Identifier: Apache-2.0
const PERIOD_MILLIS = 1000;

/** Reads one resource from the controller periodically, while it is shown. */
export class PolledResource<T> {
  value: T | undefined;
  problem: string | undefined;
  private id: string | undefined;
  private isReading = false;
  private nextRead = 0;

  constructor(
    private readonly read: (id: string) => Promise<T>,
    private readonly updated: () => void,
  ) {}

  /** Selects and reads a resource, unless it was read just now; undefined: none. */
  select(id: string | undefined): void {
    if (id !== this.id) {
      this.id = id;
      this.value = undefined;
      this.problem = undefined;
      this.nextRead = 0;
      this.isReading = false;
    }
    if (id !== undefined && !this.isReading && performance.now() >= this.nextRead) {
      this.isReading = true;
      void this.update(id);
    }
  }

  private async update(id: string): Promise<void> {
    let value: T | undefined;
    let problem: string | undefined;
    try {
      value = await this.read(id);
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
    }
    // Another resource may have been selected meanwhile.
    if (id === this.id) {
      this.value = value;
      this.problem = problem;
      this.isReading = false;
      this.nextRead = performance.now() + PERIOD_MILLIS;
      this.updated();
    }
  }
}
