// SPDX-License-Identifier: Apache-2.0
import type { Receive } from "./events";

/** What a source of events reports about itself. */
export interface Listener {
  receive: Receive;
  /** The source has failed, and goes on trying; undefined: it works again. */
  failed(problem: string | undefined): void;
}

/** Where events come from, until it is stopped. */
export interface Source {
  stop(): void;
}
