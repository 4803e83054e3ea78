// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.journal;

import org.sluice.api.EndpointId;
import org.sluice.api.JournalEntry;

/** Writes what an operator, a host or the application itself decided into the journal. */
public interface JournalWriter {

  /**
   * Adds an entry that is about no port.
   *
   * @param decision what was decided, in words with figures and units
   * @param evidence on what evidence
   */
  void write(JournalEntry.Kind kind, String decision, String evidence);

  /** Adds an entry about an endpoint. */
  void write(JournalEntry.Kind kind, EndpointId endpoint, String decision, String evidence);
}
