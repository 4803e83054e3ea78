// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.deadline;

import java.util.Optional;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.link.FlowNews;

/** A flow of a rehearsal, as its host sees it. */
final class RehearsedFlow {
  private static final int FIRST_PORT = 40_000;
  private static final int LISTENING_PORT = 5001;
  private static final long ROUND_TRIP_NANOS = 1_000_000;
  private static final long AGE_NANOS = 1_000_000;

  /** What a connection of it is known by. */
  final FlowKey connection;

  /** What it is registered as. */
  final FlowKey registered;

  final long sizeBytes;
  private long deliveredBytes;
  private FlowNews.State state;

  private RehearsedFlow(int number, int registeredPort, long sizeBytes) {
    this.sizeBytes = sizeBytes;
    connection = key(FIRST_PORT + number, number);
    registered = key(registeredPort, number);
  }

  /** A flow that is registered by its connection's name. */
  static RehearsedFlow exact(int number, long sizeBytes) {
    return new RehearsedFlow(number, FIRST_PORT + number, sizeBytes);
  }

  /** A flow that is registered before it has a name. */
  static RehearsedFlow pattern(int number, long sizeBytes) {
    return new RehearsedFlow(number, FlowKey.ANY_PORT, sizeBytes);
  }

  private static FlowKey key(int sourcePort, int number) {
    return FlowKey.of(
        RehearsedNetwork.SOURCE, sourcePort, RehearsedNetwork.DESTINATION, LISTENING_PORT + number);
  }

  void begin() {
    state = FlowNews.State.OPENED;
    deliveredBytes = 0;
  }

  void end() {
    if (state != null) {
      state = FlowNews.State.CLOSED;
    }
  }

  /** So much of it arrives, if so much is left; what does is returned. */
  long deliver(long bytes) {
    long delivered = Math.min(bytes, sizeBytes - deliveredBytes);
    deliveredBytes += delivered;
    state = FlowNews.State.ESTABLISHED;
    return delivered;
  }

  boolean isSending() {
    return state == FlowNews.State.OPENED || state == FlowNews.State.ESTABLISHED;
  }

  boolean isThrough() {
    return deliveredBytes == sizeBytes;
  }

  /** What is to be told of it; that it has ended, once. */
  Optional<FlowNews> takeNews() {
    if (state == null) {
      return Optional.empty();
    }
    FlowNews news =
        FlowNews.of(connection, state, deliveredBytes, ROUND_TRIP_NANOS, false)
            .progressedBefore(AGE_NANOS)
            .acknowledgedTo(deliveredBytes & 0xffff_ffffL);
    if (state == FlowNews.State.CLOSED) {
      state = null;
    }
    return Optional.of(news);
  }
}
