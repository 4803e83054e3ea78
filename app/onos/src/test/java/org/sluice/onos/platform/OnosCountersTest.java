// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.onosproject.net.PortNumber;
import org.onosproject.net.device.DefaultPortStatistics;
import org.onosproject.net.device.PortStatistics;
import org.sluice.core.spi.PlatformCounters;
import org.sluice.core.testing.CountersConformance;
import org.sluice.onos.testing.OnosWorld;

/** Counters of ONOS's own device manager. */
class OnosCountersTest extends CountersConformance {
  private static final int PERIOD_SECONDS = 5;

  private final OnosWorld world = new OnosWorld();
  private final OnosCounters counters = new OnosCounters(world.devices, datapath -> Map.of());
  private final Map<String, Long> received = new HashMap<>();
  private long seconds = PERIOD_SECONDS;

  OnosCountersTest() {
    for (String name : List.of("s1", "s2")) {
      world.connect(name, 1);
      received.put(name, 0L);
    }
    world.devices.addListener(counters::changed);
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Override
  protected PlatformCounters counters() {
    return counters;
  }

  @Override
  protected void receive(String name, int packets) {
    received.merge(name, (long) packets, Long::sum);
  }

  @Override
  protected void read() {
    seconds += PERIOD_SECONDS;
    received.forEach(
        (name, count) -> world.switches.portsRead(name, List.of(statistics(name, count, seconds))));
  }

  private static PortStatistics statistics(String name, long count, long durationSeconds) {
    return DefaultPortStatistics.builder()
        .setDeviceId(OnosWorld.device(name))
        .setPort(PortNumber.portNumber(1))
        .setPacketsReceived(count)
        .setBytesReceived(count)
        .setPacketsTxDropped(count / 2)
        .setDurationSec(durationSeconds)
        .build();
  }

  @Test
  void aSwitchThatBeginsAnewAndOneThatIsReadTwiceHaveNoSample() {
    begin();
    receive("s1", 10);
    read();
    assertThat(taken("s1").get(0).txDroppedPackets()).isEqualTo(5);

    world.switches.portsRead("s1", List.of(statistics("s1", 10, seconds)));
    assertThat(taken("s1")).isEmpty();
    received.put("s1", 3L);
    read();
    assertThat(taken("s1")).isEmpty();
  }
}
