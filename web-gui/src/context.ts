// SPDX-License-Identifier: Apache-2.0
import type { Rest } from "./api";
import type { Recorder } from "./live/recorder";
import type { State } from "./live/state";
import type { Names } from "./names";
import type { Target } from "./router";

/** What every panel works with. */
export interface Context {
  readonly rest: Rest;
  readonly state: State;
  readonly recorder: Recorder;
  /** Changes with the topology. */
  readonly names: Names;
  /** A class by tenant. */
  readonly colours: ReadonlyMap<string, string>;
  /** The controller's clock now, in milliseconds. */
  now(): number;
  /** Shows something's details. */
  open(target: Target): void;
}

/** A part of the page that shows the context's state when it is called. */
export interface Panel {
  update(): void;
}
