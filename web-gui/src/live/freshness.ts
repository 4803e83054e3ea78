// SPDX-License-Identifier: Apache-2.0
import { clockTime } from "../format";

/** The stream brings the controller's clock once a second; so long without it is too long. */
export const LATE_AFTER_MILLIS = 3000;

/** How the page stands to the controller. */
export interface Contact {
  /** By what the page follows the controller. */
  by: "stream" | "polling";
  /** Why the controller may not report; undefined: nothing is wrong as far as is known. */
  problem: string | undefined;
  /** When the controller last reported, by this machine's steady clock, in milliseconds. */
  receivedAt: number | undefined;
}

/** What the controller last reported of itself. */
export interface Report {
  /** Its clock, in milliseconds; 0: it has not reported yet. */
  at: number;
  /** Why its cluster's store does not answer it; null: it does. */
  storeFault: string | null;
}

/** Whether what the page shows is as things are, and in words. */
export interface Freshness {
  state: "waiting" | "live" | "stale";
  text: string;
}

/**
 * Judges the contact.
 *
 * @param now by this machine's steady clock
 */
export function freshness(contact: Contact, now: number, { at, storeFault }: Report): Freshness {
  const { by, problem, receivedAt } = contact;
  if (receivedAt === undefined) {
    return { state: "waiting", text: problem ?? "Connecting" };
  }
  const since = now - receivedAt;
  // A stream that ends is resumed at once: that alone makes nothing old.
  if (since < LATE_AFTER_MILLIS) {
    if (storeFault !== null) {
      const what = "This controller is cut off from its cluster: below is what it read last";
      return { state: "stale", text: `${what} (${storeFault}).` };
    }
    const how = by === "polling" ? " (polled)" : "";
    return { state: "live", text: `Live ${clockTime(at)}${how}` };
  }
  const why = problem ?? "The controller does not report.";
  const age = Math.round(since / 1000);
  return {
    state: "stale",
    text: `Not live: all below is of ${clockTime(at)}, ${String(age)} s ago. ${why}`,
  };
}
