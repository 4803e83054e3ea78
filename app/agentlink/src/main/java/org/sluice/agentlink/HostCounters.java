// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import java.util.concurrent.atomic.LongAdder;
import org.sluice.api.HostId;

/** Counts what goes over the link to and from one host, over all of its sessions. */
final class HostCounters {
  final LongAdder sessions = new LongAdder();
  final LongAdder receivedMessages = new LongAdder();
  final LongAdder receivedBytes = new LongAdder();
  final LongAdder sentMessages = new LongAdder();
  final LongAdder sentBytes = new LongAdder();
  final LongAdder droppedItems = new LongAdder();
  final LongAdder supersededItems = new LongAdder();
  final LongAdder refusedMessages = new LongAdder();
  final LongAdder foreignSamples = new LongAdder();
  final LongAdder quarantinedMessages = new LongAdder();

  HostLinkStats snapshot(HostId host, boolean connected) {
    return HostLinkStats.builder(host)
        .connected(connected)
        .sessions(sessions.sum())
        .receivedMessages(receivedMessages.sum())
        .receivedBytes(receivedBytes.sum())
        .sentMessages(sentMessages.sum())
        .sentBytes(sentBytes.sum())
        .droppedItems(droppedItems.sum())
        .supersededItems(supersededItems.sum())
        .refusedMessages(refusedMessages.sum())
        .foreignSamples(foreignSamples.sum())
        .quarantinedMessages(quarantinedMessages.sum())
        .build();
  }
}
