// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.flow;

import java.nio.ByteBuffer;
import java.util.OptionalLong;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.types.OFErrorCauseData;

/**
 * Finds the flow that an error message is about: the error repeats at least the first 64 bytes of
 * the refused message (OpenFlow 1.3.5, section 7.4.4), which hold the cookie of a flow
 * modification.
 */
final class RefusedFlow {

  private static final int TYPE_OFFSET = 1;
  private static final int COOKIE_OFFSET = 8;
  private static final byte FLOW_MOD_TYPE = 14;

  private RefusedFlow() {}

  /** Returns the cookie, or nothing when the error is about another kind of message. */
  static OptionalLong cookie(OFErrorMsg error) {
    OFErrorCauseData cause = error.getData();
    byte[] refused = cause == null ? new byte[0] : cause.getData();
    boolean isFlowMod =
        refused.length >= COOKIE_OFFSET + Long.BYTES && refused[TYPE_OFFSET] == FLOW_MOD_TYPE;
    return isFlowMod
        ? OptionalLong.of(ByteBuffer.wrap(refused).getLong(COOKIE_OFFSET))
        : OptionalLong.empty();
  }
}
