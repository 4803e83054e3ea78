// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.journal;

import java.util.Optional;
import org.sluice.api.EndpointId;
import org.sluice.api.JournalEntry;
import org.sluice.api.TenantId;

/** Writes what an operator, a host or the application itself decided into the journal. */
public interface JournalWriter {

  /**
   * Adds an entry that is about no port.
   *
   * @param decision what was decided, in words with figures and units
   * @param evidence on what evidence
   */
  void write(JournalEntry.Kind kind, String decision, String evidence);

  /**
   * Adds an entry that is a tenant's own affair: its users may read it, so that it tells nothing
   * about others.
   */
  void write(
      JournalEntry.Kind kind,
      TenantId tenant,
      Optional<EndpointId> endpoint,
      String decision,
      String evidence);

  /** Adds an entry about an endpoint. */
  void write(JournalEntry.Kind kind, EndpointId endpoint, String decision, String evidence);
}
