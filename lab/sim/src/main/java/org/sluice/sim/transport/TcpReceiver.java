// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import org.sluice.sim.event.Scheduler;
import org.sluice.sim.packet.Ecn;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.Receiver;

/** The end of a connection that receives data: puts it in order, acknowledges, echoes CE. */
final class TcpReceiver implements Receiver {
  private static final int SACK_HEADER_BYTES = 4;
  private static final int SACK_BLOCK_BYTES = 8;
  private static final int SEGMENTS_PER_ACK = 2;

  private final Scheduler scheduler;
  private final TcpFlow flow;
  private final TcpParameters parameters;
  private final FlowStatistics statistics;
  private final EcnMode ecn;
  private final Reassembly data = new Reassembly();
  private final Timer delay;
  private final long scaledWindowBytes;
  private Direction out;

  private int unacknowledged;
  private int quick;
  private long acknowledgedTo;
  private long timestampEcho;
  private int echo;

  TcpReceiver(Scheduler scheduler, TcpFlow flow, TcpParameters parameters) {
    this.scheduler = scheduler;
    this.flow = flow;
    this.parameters = parameters;
    this.statistics = flow.statistics();
    this.ecn = parameters.ecn();
    delay = new Timer(scheduler, this::sendAcknowledgement);
    scaledWindowBytes = scaled(parameters.receiveWindowBytes());
  }

  /** The largest window that the header's 16 bits can express with the least scale (RFC 7323). */
  private static long scaled(long bytes) {
    int scale = 0;
    while (bytes >> scale > ActiveOpen.MAX_WINDOW) {
      scale++;
    }
    return bytes >> scale << scale;
  }

  void sendVia(Direction direction) {
    out = direction;
  }

  /** Makes ready for another connection. */
  void open() {
    data.reset();
    unacknowledged = 0;
    quick = parameters.quickAckSegments();
    delay.stop();
    acknowledgedTo = 0;
    timestampEcho = 0;
    echo = 0;
  }

  @Override
  public void receive(Packet packet) {
    if (!flow.ownsOutgoing(packet)) {
      return;
    }
    statistics.receivedPackets++;
    statistics.receivedIpBytes += packet.ipBytes;
    if ((packet.flags & Packet.SYN) != 0) {
      answer(packet);
    } else if (packet.payloadBytes > 0) {
      data(packet);
    }
  }

  private void answer(Packet syn) {
    Packet packet = out.packet(TcpParameters.HEADER_BYTES + ActiveOpen.OPTION_BYTES, 0);
    packet.flags = Packet.SYN | Packet.ACK;
    int wanted = Packet.ECE | Packet.CWR;
    if (ecn != EcnMode.OFF && (syn.flags & wanted) == wanted) {
      packet.flags |= Packet.ECE;
      packet.ecn = parameters.ectOnSyn() ? Ecn.ECT_0 : Ecn.NOT_ECT;
    }
    packet.windowBytes = Math.min(ActiveOpen.MAX_WINDOW, parameters.receiveWindowBytes());
    packet.sackPermitted = parameters.sack() && syn.sackPermitted;
    packet.timestampNanos = scheduler.now();
    packet.timestampEchoNanos = syn.timestampNanos;
    out.send(packet);
  }

  private void data(Packet packet) {
    boolean marked = packet.ecn == Ecn.CE;
    if (marked) {
      statistics.cePackets++;
    }
    echo(packet, marked);
    if (packet.sequence <= acknowledgedTo) {
      // RFC 7323, section 4.3: the oldest segment not acknowledged yet.
      timestampEcho = packet.timestampNanos;
    }
    long before = data.next();
    boolean hadBlocks = data.hasBlocks();
    data.accept(packet.sequence, packet.sequence + packet.payloadBytes);
    long delivered = data.next() - before;
    if (delivered > 0) {
      statistics.deliveredPayloadBytes += delivered;
    }
    acknowledge(packet, delivered == packet.payloadBytes && !hadBlocks);
    if (delivered > 0) {
      flow.delivered(delivered, data.next());
    }
  }

  /**
   * RFC 5681, section 4.2: what is out of order, fills a hole, or ends the data, at once; so are,
   * as by Linux, a connection's first segments.
   */
  private void acknowledge(Packet packet, boolean inOrder) {
    unacknowledged++;
    boolean last = (packet.flags & Packet.FIN) != 0;
    boolean isQuick = quick > 0;
    quick -= isQuick ? 1 : 0;
    boolean waits = parameters.delayedAck() && !isQuick && unacknowledged < SEGMENTS_PER_ACK;
    if (!inOrder || last || !waits) {
      sendAcknowledgement();
    } else if (!delay.isRunning()) {
      delay.start(parameters.delayedAckNanos());
    }
  }

  private void echo(Packet packet, boolean marked) {
    if (ecn == EcnMode.CLASSIC) {
      // RFC 3168, section 6.1.3: from CE on, until CWR.
      if ((packet.flags & Packet.CWR) != 0) {
        echo = 0;
      }
      if (marked) {
        echo = Packet.ECE;
      }
    } else if (ecn == EcnMode.DCTCP) {
      int now = marked ? Packet.ECE : 0;
      // RFC 8257, section 3.2: an ACK acknowledges packets of one kind only.
      if (now != echo && unacknowledged > 0) {
        sendAcknowledgement();
      }
      echo = now;
    }
  }

  private void sendAcknowledgement() {
    Packet packet = out.packet(TcpParameters.HEADER_BYTES, 0);
    packet.flags = Packet.ACK | echo;
    acknowledgedTo = data.next();
    packet.acknowledgement = acknowledgedTo;
    packet.windowBytes = scaledWindowBytes;
    packet.timestampNanos = scheduler.now();
    packet.timestampEchoNanos = timestampEcho;
    if (parameters.sack() && data.hasBlocks()) {
      packet.ipBytes += SACK_HEADER_BYTES + SACK_BLOCK_BYTES * data.report(packet);
    }
    unacknowledged = 0;
    delay.stop();
    statistics.acknowledgementPackets++;
    out.send(packet);
  }
}
