// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import com.google.protobuf.UnsafeByteOperations;
import org.sluice.agentlink.proto.ControllerMessage;
import org.sluice.agentlink.proto.Prefix;
import org.sluice.agentlink.proto.TcpHint;
import org.sluice.api.IpPrefix;
import org.sluice.api.link.TcpHints;
import org.sluice.api.policy.PrefixHint;

/** Encodes hints for hosts' own TCP. */
final class HintMessageEncoder {

  private HintMessageEncoder() {}

  static ControllerMessage.Builder tcpHints(long term, TcpHints hints) {
    org.sluice.agentlink.proto.TcpHints.Builder body =
        org.sluice.agentlink.proto.TcpHints.newBuilder().setRevision(hints.revision());
    for (PrefixHint hint : hints.hints()) {
      TcpHint.Builder one =
          TcpHint.newBuilder()
              .setInitialWindowSegments(hint.hint().initialWindowSegments())
              .setRtoMinNanos(hint.hint().rtoMinNanos())
              .setCongestionControl(hint.hint().congestionControl())
              .setPacingBitsPerSecond(hint.hint().pacingBitsPerSecond());
      for (IpPrefix destination : hint.destinations()) {
        one.addDestinations(
            Prefix.newBuilder()
                // toBytes() returns a fresh array without other references.
                .setIp(UnsafeByteOperations.unsafeWrap(destination.address().toBytes()))
                .setLength(destination.length()));
      }
      body.addHints(one);
    }
    return ControllerMessage.newBuilder().setTerm(term).setTcpHints(body);
  }
}
