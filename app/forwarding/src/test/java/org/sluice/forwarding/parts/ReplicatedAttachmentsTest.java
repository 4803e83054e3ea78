// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.parts;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.testing.MemoryStorage;

class ReplicatedAttachmentsTest {
  private static final IpAddress IP = IpAddress.parse("10.0.0.1");
  private static final PortId HERE = PortId.of("of:0000000000000001", 1);
  private static final PortId THERE = PortId.of("of:0000000000000002", 7);

  private final ReplicatedMap shared = new MemoryStorage().map("attachments");
  private final AtomicLong aheadMillis = new AtomicLong(3_600_000);
  private final ReplicatedAttachments first = node(aheadMillis);
  private final ReplicatedAttachments second = node(new AtomicLong(0));

  private ReplicatedAttachments node(AtomicLong clockMillis) {
    ReplicatedAttachments store =
        new ReplicatedAttachments(shared, Runnable::run, clockMillis::get);
    store.start();
    return store;
  }

  @Test
  void whatOneNodeWritesTheOtherKnows() {
    first.put(IP, HERE);

    assertThat(second.get(IP)).contains(HERE);
    assertThat(second.all()).containsEntry(IP, HERE);
  }

  @Test
  void aNodeWhoseClockIsBehindOverwritesOneWhoseClockIsAhead() {
    first.put(IP, HERE);
    second.put(IP, THERE);

    assertThat(first.get(IP)).contains(THERE);
  }

  @Test
  void aRemovalIsKnownToAll() {
    first.put(IP, HERE);
    second.remove(IP, THERE);
    assertThat(first.get(IP)).contains(HERE);

    second.remove(IP, HERE);
    assertThat(first.get(IP)).isEmpty();
    assertThat(shared.entries()).isEmpty();
  }

  @Test
  void whatIsWrittenAfterARemovalStays() {
    first.put(IP, HERE);
    second.remove(IP);
    second.put(IP, THERE);

    assertThat(first.get(IP)).contains(THERE);
  }

  @Test
  void aNodeThatStartsTakesOverWhatTheOthersKnow() {
    first.put(IP, HERE);

    assertThat(node(new AtomicLong(0)).get(IP)).contains(HERE);
  }

  @Test
  void theEpochAdvancesWithEveryChange() {
    long before = second.epoch().get();
    first.put(IP, HERE);
    long after = second.epoch().get();
    first.remove(IP);

    assertThat(after).isGreaterThan(before);
    assertThat(second.epoch().get()).isGreaterThan(after);
  }
}
