// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.sluice.sim.event.Event;
import org.sluice.sim.event.RandomStreams;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.queue.DropTail;

class PortTest {
  private static final long GIGABIT = 1_000_000_000L;

  private final Scheduler scheduler = new Scheduler();
  private final Network network = new Network(scheduler, new RandomStreams(1));
  private final List<String> arrivals = new ArrayList<>();

  private Link link(long rate, long delay, int overhead, int room) {
    LinkParameters parameters = new LinkParameters(rate, delay, overhead);
    Host a = network.addHost("a");
    Host b = network.addHost("b");
    network.addEndpoint("a", a);
    network.addEndpoint("b", b);
    return network.connect(a, b, parameters, new DropTail(room), new DropTail(room));
  }

  private Packet packet(int bytes) {
    Packet packet = network.pool().take();
    packet.ipBytes = bytes;
    packet.destination = 1;
    packet.receiver = received -> arrivals.add(received.ipBytes + "@" + scheduler.now());
    return packet;
  }

  @Test
  void serializesThenPropagates() {
    Port port = link(GIGABIT, 10_000, 0, 10).atA();
    port.send(packet(1500));
    port.send(packet(1000));
    scheduler.runUntil(1_000_000);
    // 12,000 bits take 12 us, 8,000 bits 8 us.
    assertThat(arrivals).containsExactly("1500@22000", "1000@30000");
    assertThat(network.pool().inUse()).isZero();
    assertThat(port.counters().sentBytes()).isEqualTo(2500);
    assertThat(network.packetHops()).isEqualTo(2);
  }

  @Test
  void chargesTheLinksOverhead() {
    link(GIGABIT, 0, 38, 10).atA().send(packet(1462));
    scheduler.runUntil(1_000_000);
    assertThat(arrivals).containsExactly("1462@12000");
  }

  @Test
  void idleLinkCostsOneEventPerPacket() {
    Port port = link(GIGABIT, 0, 0, 10).atA();
    for (int i = 0; i < 10; i++) {
      port.send(packet(1500));
      scheduler.runUntil(scheduler.now() + 12_000);
    }
    assertThat(arrivals).hasSize(10);
    assertThat(scheduler.fired()).isEqualTo(10);
  }

  @Test
  void dropsPacketsBeyondTheBuffer() {
    Port port = link(GIGABIT, 0, 0, 2).atA();
    for (int i = 0; i < 5; i++) {
      port.send(packet(1500));
    }
    scheduler.runUntil(1_000_000);
    // One on the wire, two wait, two are refused.
    assertThat(arrivals).hasSize(3);
    assertThat(port.counters().droppedPackets()).isEqualTo(2);
    assertThat(port.counters().droppedBytes()).isEqualTo(3000);
    assertThat(network.pool().inUse()).isZero();
  }

  @Test
  void downLinkLosesItsPackets() {
    Link link = link(GIGABIT, 1_000_000, 0, 10);
    for (int i = 0; i < 3; i++) {
      link.atA().send(packet(1500));
    }
    scheduler.runUntil(13_000);
    link.setUp(false);
    link.atA().send(packet(1500));
    scheduler.runUntil(10_000_000);
    assertThat(arrivals).isEmpty();
    assertThat(network.pool().inUse()).isZero();
    link.setUp(true);
    link.atA().send(packet(1500));
    scheduler.runUntil(20_000_000);
    assertThat(arrivals).hasSize(1);
  }

  /** However a rate divides, n packets take what their bits take, to the nanosecond. */
  @Property(tries = 200)
  void neverDrifts(
      @ForAll @LongRange(min = 1_000, max = 400_000_000_000L) long rate,
      @ForAll @IntRange(min = 1, max = 200) int packets,
      @ForAll @IntRange(min = 40, max = 9000) int bytes) {
    Scheduler own = new Scheduler();
    Network small = new Network(own, new RandomStreams(1));
    Host a = small.addHost("a");
    Host b = small.addHost("b");
    Port port =
        small
            .connect(
                a, b, new LinkParameters(rate, 0, 0), new DropTail(packets), new DropTail(packets))
            .atA();
    long[] last = {0};
    Event start =
        new Event() {
          @Override
          protected void fire() {
            for (int i = 0; i < packets; i++) {
              Packet packet = small.pool().take();
              packet.ipBytes = bytes;
              packet.receiver = received -> last[0] = own.now();
              port.send(packet);
            }
          }
        };
    own.arm(start, 0);
    own.runUntil(Long.MAX_VALUE / 4);
    long exact = (long) Math.floor((double) packets * bytes * 8 * 1e9 / rate);
    assertThat(last[0]).isBetween(exact - 1, exact + 1);
  }
}
