// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.frame;

import java.util.Optional;
import org.sluice.api.deadline.FlowKey;

/** What a TCP segment says of its connection. */
public final class Segment {
  private static final int FIN = 0x01;
  private static final int SYN = 0x02;
  private static final int RST = 0x04;

  private static final int FLAGS_AT = 13;
  private static final int HEADER_BYTES = 20;

  private final FlowKey connection;
  private final int flags;

  private Segment(FlowKey connection, int flags) {
    this.connection = connection;
    this.flags = flags;
  }

  /** Reads a frame; empty if it is no TCP between two addresses. */
  public static Optional<Segment> parse(EthernetFrame frame) {
    return frame
        .ip()
        .filter(ip -> ip.protocol() == EthernetFrame.PROTOCOL_TCP)
        .filter(ip -> frame.hasPayload(ip.headerBytes() + HEADER_BYTES))
        .filter(ip -> !ip.source().equals(ip.destination()))
        .map(
            ip ->
                new Segment(
                    FlowKey.of(
                        ip.source(),
                        frame.number(ip.headerBytes()),
                        ip.destination(),
                        frame.number(ip.headerBytes() + 2)),
                    frame.octet(ip.headerBytes() + FLAGS_AT)))
        .filter(segment -> segment.connection.isExact());
  }

  /** In the direction in which it went. */
  public FlowKey connection() {
    return connection;
  }

  public boolean begins() {
    return (flags & SYN) != 0 && !ends();
  }

  public boolean ends() {
    return (flags & (FIN | RST)) != 0;
  }
}
