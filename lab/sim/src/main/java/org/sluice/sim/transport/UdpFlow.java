// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import java.util.SplittableRandom;
import org.sluice.sim.event.Event;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Network;
import org.sluice.sim.packet.Ecn;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.Protocol;

/**
 * Packets of one size at a constant rate, all the time or with pauses, without any feedback. What
 * rounding to whole nanoseconds takes from one gap is given to a later one: the rate is exact, with
 * random gaps in the mean. The packets are Not-ECT.
 */
public final class UdpFlow implements Flow {
  /** IPv4 and UDP headers, bytes. */
  public static final int HEADER_BYTES = 28;

  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private final String name;
  private final Endpoint source;
  private final Endpoint destination;
  private final Scheduler scheduler;
  private final FlowStatistics statistics = new FlowStatistics();
  private final Direction direction;
  private final SendingPattern pattern;
  private final SplittableRandom random;
  private final int payloadBytes;
  private final Event sending = new Sending();
  private final Event starting = new Starting();
  private final Event stopping = new Stopping();
  private final Event turning = new Turning();

  private long rateBitsPerSecond;
  private long bitRemainder;
  private long sequence;
  private boolean on;

  /**
   * @param name not another flow's: packets are hashed by it
   * @param rateBitsPerSecond in bytes from the IP header upwards; above 0
   * @param ipBytes of each packet; above {@link #HEADER_BYTES}
   */
  public UdpFlow(
      Network network,
      String name,
      Endpoint from,
      Endpoint to,
      long rateBitsPerSecond,
      int ipBytes,
      SendingPattern pattern) {
    if (ipBytes <= HEADER_BYTES) {
      throw new IllegalArgumentException(
          "ipBytes must be above " + HEADER_BYTES + ", not " + ipBytes);
    }
    this.name = name;
    this.source = from;
    this.destination = to;
    this.scheduler = network.scheduler();
    this.rateBitsPerSecond = requireRate(rateBitsPerSecond);
    this.payloadBytes = ipBytes - HEADER_BYTES;
    this.pattern = pattern;
    random = network.random().stream("udp " + name);
    int seed = network.random().stream("flow " + name).nextInt();
    direction = new Direction(network.pool(), from, to, Protocol.UDP, seed, this::receive);
  }

  private static long requireRate(long bitsPerSecond) {
    if (bitsPerSecond <= 0) {
      throw new IllegalArgumentException("rateBitsPerSecond must be above 0, not " + bitsPerSecond);
    }
    return bitsPerSecond;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Endpoint source() {
    return source;
  }

  @Override
  public Endpoint destination() {
    return destination;
  }

  @Override
  public int pathHash() {
    return direction.flowHash();
  }

  @Override
  public FlowStatistics statistics() {
    return statistics;
  }

  /** The first packet leaves at that time. */
  @Override
  public void start(long atNanos) {
    scheduler.arm(starting, atNanos);
  }

  /** No packet leaves at that time or later. */
  @Override
  public void stop(long atNanos) {
    scheduler.arm(stopping, atNanos);
  }

  /** Another rate, from the next packet on; above 0. */
  public void setRateBitsPerSecond(long value) {
    rateBitsPerSecond = requireRate(value);
    bitRemainder = 0;
  }

  private void send() {
    Packet packet = direction.packet(HEADER_BYTES, payloadBytes);
    packet.sequence = sequence++;
    packet.timestampNanos = scheduler.now();
    long scaled = packet.ipBytes * 8L * NANOS_PER_SECOND + bitRemainder;
    long gap = scaled / rateBitsPerSecond;
    bitRemainder = scaled - gap * rateBitsPerSecond;
    scheduler.arm(sending, scheduler.now() + pattern.gapNanos(gap, random));
    statistics.sentPackets++;
    direction.send(packet);
  }

  private void receive(Packet packet) {
    statistics.receivedPackets++;
    statistics.receivedIpBytes += packet.ipBytes;
    statistics.deliveredPayloadBytes += packet.payloadBytes;
    if (packet.ecn == Ecn.CE) {
      statistics.cePackets++;
    }
  }

  private void turnOn() {
    on = true;
    bitRemainder = 0;
    if (!pattern.isConstant()) {
      scheduler.arm(turning, scheduler.now() + pattern.nextOnNanos(random));
    }
    send();
  }

  private void turnOff() {
    on = false;
    scheduler.disarm(sending);
  }

  private final class Sending extends Event {
    @Override
    protected void fire() {
      send();
    }
  }

  private final class Starting extends Event {
    @Override
    protected void fire() {
      statistics.startNanos = scheduler.now();
      turnOn();
    }
  }

  private final class Stopping extends Event {
    @Override
    protected void fire() {
      turnOff();
      scheduler.disarm(turning);
    }
  }

  private final class Turning extends Event {
    @Override
    protected void fire() {
      if (on) {
        turnOff();
        scheduler.arm(turning, scheduler.now() + pattern.nextOffNanos(random));
      } else {
        turnOn();
      }
    }
  }
}
