// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.journal;

import java.util.Optional;
import org.sluice.api.EndpointId;
import org.sluice.api.JournalEntry;
import org.sluice.api.PortId;
import org.sluice.api.TenantId;

/** Writes what an operator, a host or the application itself decided into the journal. */
public interface JournalWriter {

  /**
   * Adds an entry that is about no port.
   *
   * @param tenant whose own affair it is: its users may read it, so that it has nothing about
   *     others
   * @param endpoint which it is about
   * @param decision what was decided, in words with figures and units
   * @param evidence on what evidence
   */
  void write(
      JournalEntry.Kind kind,
      Optional<TenantId> tenant,
      Optional<EndpointId> endpoint,
      String decision,
      String evidence);

  /** As operators read a port's id: with its name, if it has one. */
  default String label(PortId port) {
    return port.toString();
  }

  /** Adds an entry for operators alone. */
  default void write(JournalEntry.Kind kind, String decision, String evidence) {
    write(kind, Optional.empty(), Optional.empty(), decision, evidence);
  }

  /** Adds an entry about an endpoint, for operators alone. */
  default void write(
      JournalEntry.Kind kind, EndpointId endpoint, String decision, String evidence) {
    write(kind, Optional.empty(), Optional.of(endpoint), decision, evidence);
  }
}
