// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest.stream;

import java.util.List;

/** All that is streamed, at one revision. Immutable. */
final class Snapshot {
  final String epoch;
  final long revision;
  final List<Section> sections;

  /** The sequence of the newest entry of the journal; -1: it is empty. */
  final long newestJournalSequence;

  Snapshot(String epoch, long revision, List<Section> sections, long newestJournalSequence) {
    this.epoch = epoch;
    this.revision = revision;
    this.sections = List.copyOf(sections);
    this.newestJournalSequence = newestJournalSequence;
  }

  /** What a reader has that was sent all of it. */
  Cursor cursor() {
    return new Cursor(epoch, revision, newestJournalSequence);
  }
}
