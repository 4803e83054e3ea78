// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import java.util.concurrent.TimeUnit;

/**
 * What one host may bring to a controller node by the link. An agent of ours stays far below; who
 * goes beyond is {@linkplain HostQuarantine quarantined}.
 */
final class HostLimits {
  /** Most addresses of all of a host's endpoints. */
  static final int ADDRESSES = 8192;

  /** Most pairs in one observation: an agent's table holds 8192. */
  static final int PAIRS = 16_384;

  /** Largest message, bytes: 8192 pairs of IPv6 addresses and 1000 endpoints are 0.9 MiB. */
  static final int MESSAGE_BYTES = 1 << 20;

  /** The transport ends a call at once whose message is larger, bytes. */
  static final int MOST_MESSAGE_BYTES = 2 * MESSAGE_BYTES;

  /** Most messages in a second: an agent sends one every 500 us at most. */
  static final int MESSAGES_PER_SECOND = 4000;

  /**
   * How fast messages are taken in, bytes in a second. Not a limit that quarantines: what is faster
   * waits at the agent, which adds up what waits.
   */
  static final long BYTES_PER_SECOND = 16 << 20;

  /**
   * Most lists of its endpoints in a second, those of hellos among them: each one costs all nodes
   * work that grows with all endpoints. An agent sends one in 100 ms at most.
   */
  static final int ENDPOINT_LISTS_PER_SECOND = 20;

  /** Most calls of a host at once; a reconnecting agent has two for a moment. */
  static final int CALLS = 4;

  /** A quarantine ends when the host has kept its limits for so long, ns. */
  static final long QUARANTINE_NANOS = TimeUnit.SECONDS.toNanos(30);

  private HostLimits() {}
}
