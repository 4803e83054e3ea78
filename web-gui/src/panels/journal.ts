// SPDX-License-Identifier: Apache-2.0
import type { Context, Panel } from "../context";
import { byId, element } from "../dom";
import { timeOfDay } from "../format";
import type { JournalEntry } from "../model";
import { wordsOf } from "../view/endpoints";
import { aboutText, entryMatches, isOfTopic, TOPICS, type Topic } from "../view/journal";
import { CountedHeading, filterField, table, textCell } from "../widgets";

const EARLIER_ENTRIES = 200;

/** Decisions as they are taken, the latest first. */
export class JournalPanel implements Panel {
  private readonly heading = new CountedHeading("Journal");
  private readonly filter = filterField("Filter by any word", () => this.update());
  private readonly topic = element("select");
  private readonly entries;
  /** What the controller remembers of a topic beyond what is at hand. */
  private earlier: JournalEntry[] = [];

  constructor(private readonly context: Context) {
    for (const [value, { label }] of Object.entries(TOPICS)) {
      this.topic.append(new Option(label, value));
    }
    this.topic.setAttribute("aria-label", "Kind of entries");
    this.topic.addEventListener("change", () => {
      this.earlier = [];
      this.update();
      void this.readEarlier();
    });
    this.entries = journalTable(context);
    byId("journal").append(
      element(
        "div",
        "card",
        element("div", "card-head", this.heading.root, this.topic, this.filter),
        this.entries.root,
      ),
    );
  }

  update(): void {
    const topic = this.topic.value as Topic;
    const words = wordsOf(this.filter.value);
    const { journal } = this.context.state;
    const oldest = journal.at(-1)?.sequence ?? Infinity;
    const all = [...journal, ...this.earlier.filter(({ sequence }) => sequence < oldest)];
    const shown = all.filter(
      (entry) => isOfTopic(entry, topic) && entryMatches(entry, words, this.context.names),
    );
    this.heading.show(shown.length);
    this.entries.update(shown);
  }

  /** Throttling decisions bury what is rarer: that is requested by its kinds. */
  private async readEarlier(): Promise<void> {
    const topic = this.topic.value as Topic;
    const kinds: readonly string[] = TOPICS[topic].kinds;
    if (kinds.length === 0) {
      return;
    }
    try {
      const { entries } = await this.context.rest.read<{ entries: JournalEntry[] }>(
        `journal?limit=${String(EARLIER_ENTRIES)}&kind=${kinds.join(",")}`,
      );
      if (this.topic.value === topic) {
        this.earlier = entries;
        this.update();
      }
    } catch {
      // What is at hand is shown; the state of the contact is shown elsewhere.
    }
  }
}

function journalTable(context: Context) {
  const inText = (text: string) => context.names.inText(text);
  return table<JournalEntry>(
    "Journal",
    "Nothing of this kind has been decided yet.",
    (entry) => `${entry.time} ${String(entry.sequence)}`,
    [
      { header: "Time", cell: textCell((e) => timeOfDay(e.time), "mono") },
      { header: "Kind", classes: "extra", cell: textCell((e) => e.kind, "kind") },
      { header: "About", cell: textCell((e) => aboutText(e, context.names)) },
      { header: "Decision", classes: "wide", cell: textCell((e) => inText(e.decision)) },
      {
        header: "Evidence",
        classes: "wide quiet-text",
        cell: textCell((e) => inText(e.evidence)),
      },
    ],
  );
}
