// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.network;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.sluice.sim.event.RandomStreams;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.queue.DropTail;

class MeterTest {
  private static final long MILLI = 1_000_000L;

  /** Ten packets of 1000 bytes at once meet a bucket of 24,000 bits: three pass. */
  @Test
  void admitsItsBurstAndThenItsRate() {
    Meter meter = new Meter(8_000_000, 24_000);
    int admitted = 0;
    for (int i = 0; i < 10; i++) {
      admitted += meter.admits(1000, 0) ? 1 : 0;
    }
    assertThat(admitted).isEqualTo(3);
    assertThat(meter.droppedPackets()).isEqualTo(7);
    // 8 Mbit/s earn one packet per millisecond.
    assertThat(meter.admits(1000, MILLI)).isTrue();
    assertThat(meter.admits(1000, MILLI)).isFalse();
  }

  @Test
  void changedRateKeepsTokens() {
    Meter meter = new Meter(8_000_000, 24_000);
    for (int i = 0; i < 3; i++) {
      assertThat(meter.admits(1000, 0)).isTrue();
    }
    // Earned until the change: 8,000 bits; in the millisecond after it: 16,000.
    meter.setRate(16_000_000, MILLI);
    for (int i = 0; i < 3; i++) {
      assertThat(meter.admits(1000, 2 * MILLI)).isTrue();
    }
    assertThat(meter.admits(1000, 2 * MILLI)).isFalse();
  }

  @Test
  void switchDropsPacketsOverItsMeter() {
    Scheduler scheduler = new Scheduler();
    Network network = new Network(scheduler, new RandomStreams(1));
    Switch middle = network.addSwitch("s");
    LinkParameters link = new LinkParameters(1_000_000_000L, 0, 0);
    for (String name : new String[] {"a", "b"}) {
      Host host = network.addHost(name);
      network.connect(host, middle, link, new DropTail(100), new DropTail(100));
      network.addEndpoint(name, host);
    }
    network.computeRoutes();
    Meter meter = new Meter(8_000_000, 24_000);
    middle.setPolicer(0, meter);
    int[] arrived = {0};
    for (int i = 0; i < 10; i++) {
      Packet packet = network.pool().take();
      packet.ipBytes = 1000;
      packet.destination = network.endpoint("b").number();
      packet.receiver = received -> arrived[0]++;
      network.endpoint("a").host().send(packet);
    }
    scheduler.runUntil(MILLI / 2);
    assertThat(arrived[0]).isEqualTo(3);
    assertThat(meter.droppedPackets()).isEqualTo(7);
    assertThat(network.pool().inUse()).isZero();
  }
}
