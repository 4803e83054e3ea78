// SPDX-License-Identifier: Apache-2.0
import { timeOfDay } from "../format";
import type { JournalEntry } from "../model";
import type { Names } from "../names";

/** What an operator searches the journal for, and the kinds of entries that belong to it. */
export const TOPICS = {
  all: { label: "All", kinds: [] },
  limits: {
    label: "Limits",
    kinds: [
      "control-started",
      "unit-share",
      "notice",
      "control-ended",
      "mark-source",
      "floors-scaled",
      "cap",
      "levels",
    ],
  },
  deadlines: { label: "Deadlines", kinds: ["deadline", "deadline-missed", "promise-lost"] },
  changes: { label: "Changes", kinds: ["tenant", "setting", "policy"] },
  hosts: { label: "Hosts", kinds: ["host", "refused"] },
} as const satisfies Record<string, { label: string; kinds: readonly string[] }>;

export type Topic = keyof typeof TOPICS;

export function isOfTopic(entry: JournalEntry, topic: Topic): boolean {
  const kinds: readonly string[] = TOPICS[topic].kinds;
  return kinds.length === 0 || kinds.includes(entry.kind);
}

/** What an entry is about, by name. */
export function aboutText(entry: JournalEntry, names: Names): string {
  return (
    [
      entry.endpoint,
      entry.port === null ? null : names.ofPort(entry.port),
      entry.endpoint === null && entry.port === null ? entry.tenant : null,
    ]
      .filter((each) => each !== null)
      .join(" at ") || "–"
  );
}

/** An entry in one line: when, by which law, what, and on what evidence. */
export function entryText(entry: JournalEntry, names: Names): string {
  const { time, law, decision, evidence } = entry;
  const by = law === "" ? "" : ` ${law}`;
  return `${timeOfDay(time)}${by}: ${names.inText(`${decision}: ${evidence}`)}`;
}

/** Whether a filter's words all are somewhere in an entry. */
export function entryMatches(entry: JournalEntry, words: readonly string[], names: Names): boolean {
  if (words.length === 0) {
    return true;
  }
  const { kind, law, port, tenant, decision, evidence } = entry;
  const text = [kind, law, port, tenant, aboutText(entry, names), decision, evidence]
    .join(" ")
    .toLowerCase();
  return words.every((word) => text.includes(word));
}
