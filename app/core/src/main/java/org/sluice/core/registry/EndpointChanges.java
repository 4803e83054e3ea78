// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.registry;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Optional;
import java.util.Set;
import org.sluice.api.EndpointId;
import org.sluice.core.spi.Epoch;

/** An epoch that remembers which endpoints its last steps were about. Thread-safe. */
public final class EndpointChanges {
  /** Whoever is behind by more has to look at all endpoints. */
  private static final int MOST_REMEMBERED = 10_000;

  private final Epoch epoch = new Epoch();
  private final Deque<Step> steps = new ArrayDeque<>();
  private int remembered;

  /** The epoch before its oldest step that is remembered. */
  private long oldest;

  private static final class Step {
    final long from;
    final Set<EndpointId> endpoints;

    Step(long from, Collection<EndpointId> endpoints) {
      this.from = from;
      this.endpoints = Set.copyOf(endpoints);
    }

    /** What it costs to remember. */
    int size() {
      return 1 + endpoints.size();
    }
  }

  public Epoch epoch() {
    return epoch;
  }

  /** These endpoints came, went, or are others than before; one caller at a time. */
  public void advance(Collection<EndpointId> changed) {
    synchronized (this) {
      Step step = new Step(epoch.get(), changed);
      steps.addLast(step);
      remembered += step.size();
      while (remembered > MOST_REMEMBERED) {
        Step forgotten = steps.removeFirst();
        remembered -= forgotten.size();
        oldest = forgotten.from + 1;
      }
    }
    epoch.advance();
  }

  /** As {@link ReportedEndpoints#changedSince}. */
  public synchronized Optional<Set<EndpointId>> since(long then) {
    if (then < oldest) {
      return Optional.empty();
    }
    Set<EndpointId> changed = new HashSet<>();
    for (Iterator<Step> latest = steps.descendingIterator(); latest.hasNext(); ) {
      Step step = latest.next();
      if (step.from < then) {
        break;
      }
      changed.addAll(step.endpoints);
    }
    return Optional.of(changed);
  }
}
