// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.sluice.api.SluiceException;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.core.inbox.EngineInbox;
import org.sluice.core.runtime.Clock;

/**
 * The registrations that have not ended, for all requesters. The engine's thread copies them once
 * for all requests within {@link #FRESH_NANOS}, or after the next registration came or ended; the
 * rest is done on the requester's thread. Thread-safe.
 */
final class FlowListing {
  static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final EngineInbox inbox;
  private final DeadlineLoop loop;
  private final Clock clock;

  private List<FlowStatus> latest = List.of();
  private long version = -1;
  private long madeNanos;

  FlowListing(EngineInbox inbox, DeadlineLoop loop, Clock clock) {
    this.inbox = inbox;
    this.loop = loop;
    this.clock = clock;
  }

  /** Concurrent requests wait for one answer. */
  synchronized List<FlowStatus> flows() throws SluiceException {
    long now = loop.registrations().version();
    if (version != now || clock.nanoTime() - madeNanos > FRESH_NANOS) {
      List<FlowCopy> copies = inbox.call(nanos -> loop.registrations().copies(nanos));
      latest = copies.stream().map(FlowCopy::status).collect(Collectors.toUnmodifiableList());
      version = now;
      madeNanos = clock.nanoTime();
    }
    return latest;
  }
}
