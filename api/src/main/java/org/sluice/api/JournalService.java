// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import java.util.List;
import java.util.Optional;

/** Reads the journal of this controller node. */
public interface JournalService {
  /** How many entries are kept; older ones go. */
  int CAPACITY = 10_000;

  /** The newest entries that are requested, newest first. */
  List<JournalEntry> entries(JournalQuery query);

  /**
   * The newest entries, newest first.
   *
   * @param afterSequence only entries with a greater sequence; -1 for all
   * @param port only entries about this port
   * @param limit at most so many, 1 to {@value #CAPACITY}
   */
  default List<JournalEntry> entries(long afterSequence, Optional<PortId> port, int limit) {
    return entries(
        JournalQuery.builder().afterSequence(afterSequence).port(port).limit(limit).build());
  }
}
