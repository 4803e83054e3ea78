// SPDX-License-Identifier: Apache-2.0
const PERIOD_MILLIS = 1000;

/** Asks the controller again and again about one thing, while somebody wants to know. */
export class Question<T> {
  why: T | undefined;
  problem: string | undefined;
  private asked: string | undefined;
  private isAsking = false;
  private nextAsk = 0;

  constructor(
    private readonly read: (id: string) => Promise<T>,
    private readonly answered: () => void,
  ) {}

  /** Asks about something, unless that was done just now; undefined: about nothing. */
  about(id: string | undefined): void {
    if (id !== this.asked) {
      this.asked = id;
      this.why = undefined;
      this.problem = undefined;
      this.nextAsk = 0;
      this.isAsking = false;
    }
    if (id !== undefined && !this.isAsking && performance.now() >= this.nextAsk) {
      this.isAsking = true;
      void this.ask(id);
    }
  }

  private async ask(id: string): Promise<void> {
    let why: T | undefined;
    let problem: string | undefined;
    try {
      why = await this.read(id);
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
    }
    // Somebody may have asked about something else meanwhile.
    if (id === this.asked) {
      this.why = why;
      this.problem = problem;
      this.isAsking = false;
      this.nextAsk = performance.now() + PERIOD_MILLIS;
      this.answered();
    }
  }
}
