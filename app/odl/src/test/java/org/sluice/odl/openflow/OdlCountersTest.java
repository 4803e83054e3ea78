// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.openflow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.sluice.core.spi.PlatformCounters;
import org.sluice.core.testing.CountersConformance;
import org.sluice.core.testing.Samples;
import org.sluice.forwarding.testing.MemoryFabric;

class OdlCountersTest extends CountersConformance {
  private static final long PERIOD_MILLIS = 5_000;

  /** So long after that every switch has answered. */
  private static final long ANSWERED_MILLIS = 100;

  private final MemoryFabric fabric = new MemoryFabric();
  private final FakeSwitches switches = new FakeSwitches(fabric.time);
  private final OdlCounters counters =
      new OdlCounters(switches.mdsal, fabric.switches(), fabric.time, datapath -> Map.of(7L, 1L));

  OdlCountersTest() {
    for (String name : List.of("s1", "s2")) {
      fabric.connect(name, 1, 2);
      switches.get(name).portPackets.putAll(Map.of(1L, 0L, 2L, 0L));
    }
    counters.start();
    fabric.time.advanceMillis(ANSWERED_MILLIS);
  }

  @Override
  protected PlatformCounters counters() {
    return counters;
  }

  @Override
  protected void receive(String name, int packets) {
    switches.get(name).portPackets.merge(1L, (long) packets, Long::sum);
  }

  @Override
  protected void read() {
    fabric.time.advanceMillis(PERIOD_MILLIS);
  }

  @Test
  void switchesThatBeginAnewAndThoseOfOtherMastersAreRead() {
    begin();
    receive("s1", 10);
    fabric.loseMastership("s2");
    receive("s2", 4);
    read();
    assertThat(taken("s1").get(0).rxPackets()).isEqualTo(10);
    assertThat(taken("s2").get(0).rxPackets()).isEqualTo(4);

    switches.get("s1").portPackets.put(1L, 3L);
    read();
    assertThat(taken("s1")).isEmpty();
    receive("s1", 2);
    read();
    assertThat(taken("s1").get(0).rxPackets()).isEqualTo(2);
  }

  @Test
  void marksAreCountedByTheMetersOfSluicesRules() {
    assertThat(counters.markMeters(Samples.datapath("s1"))).containsEntry(7L, 1L);
  }
}
