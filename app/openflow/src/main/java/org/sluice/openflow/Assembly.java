// SPDX-License-Identifier: Apache-2.0
package org.sluice.openflow;

import java.util.ArrayList;
import java.util.List;
import org.projectfloodlight.openflow.protocol.OFStatsReply;
import org.projectfloodlight.openflow.protocol.OFStatsReplyFlags;

/** The parts of one multipart reply, until the last has come. */
final class Assembly {
  /** More than this many parts, of up to 64 KB each, no switch has ports or meters for. */
  static final int MAX_PARTS = 64;

  private final List<OFStatsReply> parts = new ArrayList<>();
  private long bytes;

  /**
   * Takes a part.
   *
   * @return whether it was the last one
   * @throws ProtocolFault if there are too many
   */
  boolean add(OFStatsReply part, int partBytes) throws ProtocolFault {
    if (parts.size() == MAX_PARTS) {
      throw new ProtocolFault("a reply has more than " + MAX_PARTS + " parts");
    }
    parts.add(part);
    bytes += partBytes;
    return !part.getFlags().contains(OFStatsReplyFlags.REPLY_MORE);
  }

  List<OFStatsReply> parts() {
    return parts;
  }

  /** Of all parts so far. */
  long bytes() {
    return bytes;
  }
}
