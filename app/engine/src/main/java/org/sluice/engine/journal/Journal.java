// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.journal;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.sluice.api.EndpointId;
import org.sluice.api.JournalEntry;
import org.sluice.api.JournalQuery;
import org.sluice.api.JournalService;
import org.sluice.api.PortId;
import org.sluice.api.TenantId;

/** The last {@value JournalService#CAPACITY} decisions of this node. Thread-safe. */
public final class Journal implements JournalService {
  private final JournalEntry[] ring = new JournalEntry[CAPACITY];
  private long next;
  private volatile Function<PortId, Optional<String>> portNames = port -> Optional.empty();

  /** Looks up what ports are called from now on. */
  public void setPortNames(Function<PortId, Optional<String>> names) {
    portNames = names;
  }

  /** As operators read a port's id: with its name, if it has one. */
  public String label(PortId port) {
    return PortId.label(port, portNames.apply(port));
  }

  /** Adds an entry that is no tenant's own affair. */
  public JournalEntry append(
      Instant time,
      JournalEntry.Kind kind,
      String law,
      Optional<PortId> port,
      Optional<EndpointId> endpoint,
      String decision,
      String evidence) {
    return append(time, kind, law, port, endpoint, Optional.empty(), decision, evidence);
  }

  /**
   * Adds an entry.
   *
   * @param law the law that decided, or empty where an operator did
   * @param tenant whose own affair it is, and who may read of it
   * @return the entry, with the sequence number that it got
   */
  public synchronized JournalEntry append(
      Instant time,
      JournalEntry.Kind kind,
      String law,
      Optional<PortId> port,
      Optional<EndpointId> endpoint,
      Optional<TenantId> tenant,
      String decision,
      String evidence) {
    JournalEntry entry =
        JournalEntry.of(next, time, kind, law, port, endpoint, tenant, decision, evidence)
            .withPortName(port.flatMap(portNames));
    ring[(int) (next % CAPACITY)] = entry;
    next++;
    return entry;
  }

  @Override
  public synchronized List<JournalEntry> entries(JournalQuery query) {
    List<JournalEntry> found = new ArrayList<>(Math.min(query.limit(), 100));
    long oldest = Math.max(next - CAPACITY, Math.max(query.afterSequence() + 1, 0));
    long newest = Math.min(next, query.beforeSequence()) - 1;
    for (long i = newest; i >= oldest && found.size() < query.limit(); i--) {
      JournalEntry entry = ring[(int) (i % CAPACITY)];
      if (query.matches(entry)) {
        found.add(entry);
      }
    }
    return found;
  }
}
