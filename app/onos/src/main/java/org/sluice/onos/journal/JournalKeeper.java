// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.journal;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.osgi.service.component.annotations.Component;
import org.sluice.api.EndpointId;
import org.sluice.api.JournalEntry;
import org.sluice.api.JournalService;
import org.sluice.api.PortId;
import org.sluice.engine.journal.Journal;

/** Holds the journal of this node. */
@Component(
    immediate = true,
    service = {JournalService.class, Chronicle.class})
public class JournalKeeper implements JournalService, Chronicle {
  private static final String NO_LAW = "";

  private final Journal journal = new Journal();

  @Override
  public Journal journal() {
    return journal;
  }

  @Override
  public void write(JournalEntry.Kind kind, String decision, String evidence) {
    write(kind, Optional.empty(), decision, evidence);
  }

  @Override
  public void write(JournalEntry.Kind kind, EndpointId endpoint, String decision, String evidence) {
    write(kind, Optional.of(endpoint), decision, evidence);
  }

  private void write(
      JournalEntry.Kind kind, Optional<EndpointId> endpoint, String decision, String evidence) {
    journal.append(Instant.now(), kind, NO_LAW, Optional.empty(), endpoint, decision, evidence);
  }

  @Override
  public List<JournalEntry> entries(long afterSequence, Optional<PortId> port, int limit) {
    return journal.entries(afterSequence, port, limit);
  }
}
