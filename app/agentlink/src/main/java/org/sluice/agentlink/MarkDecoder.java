// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import java.util.ArrayList;
import java.util.List;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.link.MarkReport;
import org.sluice.api.link.PairMarks;

/** Checks and decodes marks that are to go back to the hosts of their sources. */
final class MarkDecoder {
  private final HostId host;
  private final OwnEndpoints own;
  private final AddressDecoder addresses;

  MarkDecoder(HostId host, OwnEndpoints own, AddressDecoder addresses) {
    this.host = host;
    this.own = own;
    this.addresses = addresses;
  }

  MarkReport report(org.sluice.agentlink.proto.MarkReport report) throws BadMessageException {
    FieldChecks.atMost("pairs", report.getPairsCount(), HostLimits.PAIRS);
    List<PairMarks> pairs = new ArrayList<>(report.getPairsCount());
    for (org.sluice.agentlink.proto.PairMarks one : report.getPairsList()) {
      PairMarks marks = pair(one);
      if (own.has(marks.destination())) {
        pairs.add(marks);
      } else {
        own.leaveOut(marks.source() + " to " + marks.destination());
      }
    }
    return MarkReport.of(host, pairs);
  }

  private PairMarks pair(org.sluice.agentlink.proto.PairMarks pair) throws BadMessageException {
    IpAddress source = addresses.address("pairs[].source", pair.getSource());
    IpAddress destination = addresses.address("pairs[].destination", pair.getDestination());
    if (source.isIpv4() != destination.isIpv4()) {
      throw BadMessageException.ignored(
          "pairs[] mixes IPv4 and IPv6: " + source + " to " + destination);
    }
    FieldChecks.notNegative("pairs[].sequence", pair.getSequence());
    FieldChecks.notNegative("pairs[].packets", pair.getPackets());
    FieldChecks.notNegative("pairs[].marks", pair.getMarks());
    FieldChecks.notNegative("pairs[].bytes", pair.getBytes());
    return PairMarks.of(
        source,
        destination,
        pair.getInstance(),
        pair.getSequence(),
        pair.getPackets(),
        pair.getMarks(),
        pair.getBytes());
  }
}
