// SPDX-License-Identifier: Apache-2.0
import type { Rest } from "../api";
import type { Explanation } from "../model";

const PERIOD_MILLIS = 1000;

/** Asks the controller again and again why an endpoint gets what it gets, while somebody wants to know. */
export class Question {
  why: Explanation | undefined;
  problem: string | undefined;
  private endpoint: string | undefined;
  private isAsking = false;
  private nextAsk = 0;

  constructor(
    private readonly rest: Rest,
    private readonly answered: () => void,
  ) {}

  /** Asks about an endpoint, unless that was done just now; undefined: about none. */
  about(endpoint: string | undefined): void {
    if (endpoint !== this.endpoint) {
      this.endpoint = endpoint;
      this.why = undefined;
      this.problem = undefined;
      this.nextAsk = 0;
      this.isAsking = false;
    }
    if (endpoint !== undefined && !this.isAsking && performance.now() >= this.nextAsk) {
      this.isAsking = true;
      void this.ask(endpoint);
    }
  }

  private async ask(endpoint: string): Promise<void> {
    let why: Explanation | undefined;
    let problem: string | undefined;
    try {
      why = await this.rest.readExplanation(endpoint);
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
    }
    // Somebody may have asked about another one meanwhile.
    if (endpoint === this.endpoint) {
      this.why = why;
      this.problem = problem;
      this.isAsking = false;
      this.nextAsk = performance.now() + PERIOD_MILLIS;
      this.answered();
    }
  }
}
