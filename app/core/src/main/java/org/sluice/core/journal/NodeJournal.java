// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.journal;

import java.util.List;
import java.util.Optional;
import org.sluice.api.EndpointId;
import org.sluice.api.JournalEntry;
import org.sluice.api.JournalQuery;
import org.sluice.api.JournalService;
import org.sluice.api.PortId;
import org.sluice.api.TenantId;
import org.sluice.core.runtime.Clock;
import org.sluice.engine.journal.Journal;

/** The journal of this node: what the engine, an operator, a host or the application decided. */
public final class NodeJournal implements JournalService, JournalWriter {
  private static final String NO_LAW = "";

  private final Journal journal = new Journal();
  private final Clock clock;

  public NodeJournal(Clock clock) {
    this.clock = clock;
  }

  /** The journal itself, for the engine. */
  public Journal journal() {
    return journal;
  }

  @Override
  public String label(PortId port) {
    return journal.label(port);
  }

  @Override
  public void write(
      JournalEntry.Kind kind,
      Optional<TenantId> tenant,
      Optional<EndpointId> endpoint,
      String decision,
      String evidence) {
    journal.append(
        clock.instant(), kind, NO_LAW, Optional.empty(), endpoint, tenant, decision, evidence);
  }

  @Override
  public List<JournalEntry> entries(JournalQuery query) {
    return journal.entries(query);
  }
}
