// SPDX-License-Identifier: Apache-2.0
package org.sluice.openflow;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFMeterStats;
import org.projectfloodlight.openflow.protocol.OFMeterStatsReply;
import org.projectfloodlight.openflow.protocol.OFPortStatsEntry;
import org.projectfloodlight.openflow.protocol.OFPortStatsReply;
import org.projectfloodlight.openflow.protocol.OFStatsReply;
import org.sluice.api.counters.CounterListener;
import org.sluice.polling.PollCounts;
import org.sluice.polling.PollRequest;
import org.sluice.polling.Poller;
import org.sluice.polling.Reading;

/**
 * Requests of one switch what a {@link Poller} wants to read, and reads it from the replies. A
 * reply that comes after its request was given up, or that nobody requested, is counted and
 * forgotten. Not thread-safe: one thread does everything.
 */
final class StatisticsExchange implements Poller.Wire {
  private final Wire wire;
  private final Xids xids;
  private final PollCounts counts;
  private final Poller poller;
  private PollRequest.Kind askedKind;
  private long askedXid;
  private Assembly assembly;

  /** What this does to the world. */
  interface Wire {
    void send(OFMessage message);

    /** Calls {@link Poller#wake} then; a later call replaces an earlier one. */
    void wakeAt(long nanos);
  }

  StatisticsExchange(
      String datapath,
      Wire wire,
      CounterListener listener,
      LongSupplier clockNanos,
      Xids xids,
      PollCounts counts) {
    this.wire = wire;
    this.xids = xids;
    this.counts = counts;
    poller = new Poller(datapath, this, listener, clockNanos, counts);
  }

  Poller poller() {
    return poller;
  }

  @Override
  public void request(PollRequest request) {
    askedKind = request.kind();
    askedXid = xids.next();
    assembly = new Assembly();
    wire.send(Messages.statistics(request, askedXid));
  }

  @Override
  public void wakeAt(long nanos) {
    wire.wakeAt(nanos);
  }

  /**
   * A multipart reply came.
   *
   * @throws ProtocolFault if it cannot be read
   */
  void replied(Frame frame) throws ProtocolFault {
    if (!poller.isWaiting() || frame.xid() != askedXid) {
      counts.stale();
      return;
    }
    OFMessage message = frame.parse();
    if (!(message instanceof OFStatsReply)) {
      throw new ProtocolFault("a message that is not a multipart reply has its type");
    }
    if (assembly.add((OFStatsReply) message, frame.length())) {
      poller.replied(readings(assembly.parts()), assembly.bytes());
    }
  }

  /** An error came: if it answers the request, the switch does not have the port or meter. */
  void refused(long xid) {
    if (poller.isWaiting() && xid == askedXid) {
      poller.refused();
    }
  }

  private List<Reading> readings(List<OFStatsReply> parts) {
    List<Reading> readings = new ArrayList<>();
    for (OFStatsReply part : parts) {
      if (askedKind == PollRequest.Kind.PORT && part instanceof OFPortStatsReply) {
        ((OFPortStatsReply) part).getEntries().forEach(entry -> readings.add(port(entry)));
      } else if (askedKind == PollRequest.Kind.METER && part instanceof OFMeterStatsReply) {
        ((OFMeterStatsReply) part).getEntries().forEach(entry -> readings.add(meter(entry)));
      }
    }
    return readings;
  }

  private static Reading port(OFPortStatsEntry entry) {
    return Reading.port(
        Integer.toUnsignedLong(entry.getPortNo().getPortNumber()),
        entry.getRxPackets().getValue(),
        entry.getRxBytes().getValue(),
        entry.getTxPackets().getValue(),
        entry.getTxBytes().getValue(),
        entry.getTxDropped().getValue(),
        entry.getDurationSec(),
        entry.getDurationNsec());
  }

  private static Reading meter(OFMeterStats entry) {
    return Reading.meter(
        entry.getMeterId(),
        entry.getPacketInCount().getValue(),
        entry.getByteInCount().getValue(),
        entry.getDurationSec(),
        entry.getDurationNsec());
  }
}
