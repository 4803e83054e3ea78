// SPDX-License-Identifier: Apache-2.0
package org.sluice.openflow;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Set;
import org.projectfloodlight.openflow.protocol.OFControllerRole;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketInReason;
import org.projectfloodlight.openflow.protocol.OFRoleRequestFailedCode;
import org.projectfloodlight.openflow.protocol.OFStatsReplyFlags;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFAuxId;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U64;

/** What switches say, for tests. */
final class SwitchMessages {
  static final OFFactory OF13 = OFFactories.getFactory(OFVersion.OF_13);

  private SwitchMessages() {}

  static OFMessage role(OFControllerRole role, long generationId, long xid) {
    return OF13.buildRoleReply()
        .setRole(role)
        .setGenerationId(U64.of(generationId))
        .setXid(xid)
        .build();
  }

  static OFMessage roleStale(long xid) {
    return OF13.errorMsgs()
        .buildRoleRequestFailedErrorMsg()
        .setCode(OFRoleRequestFailedCode.STALE)
        .setXid(xid)
        .build();
  }

  static OFMessage features(long dpid, int auxiliary, long xid) {
    return OF13.buildFeaturesReply()
        .setDatapathId(DatapathId.of(dpid))
        .setAuxiliaryId(OFAuxId.of(auxiliary))
        .setXid(xid)
        .build();
  }

  static OFMessage packetIn() {
    return OF13.buildPacketIn()
        .setReason(OFPacketInReason.NO_MATCH)
        .setTableId(TableId.of(0))
        .setData(new byte[60])
        .build();
  }

  /** One port's counters; all but that of drops, which is 0, are the same number. */
  static OFMessage port(long xid, long port, long count, long aliveMillis, boolean more) {
    return port(xid, port, count, 0, aliveMillis, more);
  }

  /** The same with a number of packets dropped on their way out; -1: the switch does not count. */
  static OFMessage port(
      long xid, long port, long count, long dropped, long aliveMillis, boolean more) {
    return OF13.buildPortStatsReply()
        .setXid(xid)
        .setFlags(more ? Set.of(OFStatsReplyFlags.REPLY_MORE) : Set.of())
        .setEntries(
            List.of(
                OF13.buildPortStatsEntry()
                    .setPortNo(OFPort.of((int) port))
                    .setRxPackets(U64.of(count))
                    .setRxBytes(U64.of(count))
                    .setTxPackets(U64.of(count))
                    .setTxBytes(U64.of(count))
                    .setTxDropped(U64.of(dropped))
                    .setDurationSec(aliveMillis / 1000)
                    .setDurationNsec(aliveMillis % 1000 * 1_000_000)
                    .build()))
        .build();
  }

  static OFMessage meter(long xid, long meter, long packets, long aliveMillis) {
    return OF13.buildMeterStatsReply()
        .setXid(xid)
        .setEntries(
            List.of(
                OF13.buildMeterStats()
                    .setMeterId(meter)
                    .setPacketInCount(U64.of(packets))
                    .setByteInCount(U64.of(1500 * packets))
                    .setDurationSec(aliveMillis / 1000)
                    .setDurationNsec(aliveMillis % 1000 * 1_000_000)
                    .setBandStats(List.of(OF13.meterBandStats(U64.ZERO, U64.ZERO)))
                    .build()))
        .build();
  }

  static byte[] bytes(OFMessage message) {
    ByteBuf buffer = Unpooled.buffer();
    message.writeTo(buffer);
    return ByteBufUtil.getBytes(buffer);
  }

  static Frame frame(OFMessage message) {
    return new Frame(Unpooled.wrappedBuffer(bytes(message)));
  }
}
