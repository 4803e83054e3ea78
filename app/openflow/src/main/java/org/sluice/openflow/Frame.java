// SPDX-License-Identifier: Apache-2.0
package org.sluice.openflow;

import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCountUtil;
import org.projectfloodlight.openflow.exceptions.OFParseError;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFMessage;

/** One message as it came, its header read. Whoever has it releases it. */
final class Frame {
  /** Version, type, length and transaction number; OpenFlow 1.3.5, section 7.1.1. */
  static final int HEADER_BYTES = 8;

  static final int VERSION_13 = 4;
  static final int HELLO = 0;
  static final int ERROR = 1;
  static final int ECHO_REQUEST = 2;
  static final int ECHO_REPLY = 3;
  static final int FEATURES_REPLY = 6;
  static final int MULTIPART_REPLY = 19;
  static final int ROLE_REPLY = 25;

  /** The last type of OpenFlow 1.3: METER_MOD. */
  static final int LAST_TYPE = 29;

  private static final int TYPE_OFFSET = 1;
  private static final int XID_OFFSET = 4;

  private final ByteBuf bytes;

  /** Takes a whole message, header included. */
  Frame(ByteBuf bytes) {
    this.bytes = bytes;
  }

  int version() {
    return bytes.getUnsignedByte(bytes.readerIndex());
  }

  int type() {
    return bytes.getUnsignedByte(bytes.readerIndex() + TYPE_OFFSET);
  }

  long xid() {
    return bytes.getUnsignedInt(bytes.readerIndex() + XID_OFFSET);
  }

  int length() {
    return bytes.readableBytes();
  }

  /** What follows the header. */
  ByteBuf body() {
    return bytes.slice(bytes.readerIndex() + HEADER_BYTES, bytes.readableBytes() - HEADER_BYTES);
  }

  /**
   * The message in openflowj's form.
   *
   * @throws ProtocolFault if it is not what its header says
   */
  OFMessage parse() throws ProtocolFault {
    try {
      OFMessage message = OFFactories.getGenericReader().readFrom(bytes.duplicate());
      if (message == null) {
        throw new ProtocolFault("a message of type " + type() + " is cut short");
      }
      return message;
    } catch (OFParseError | RuntimeException e) {
      // openflowj meets malformed fields with all kinds of unchecked exceptions.
      throw new ProtocolFault("a message of type " + type() + " cannot be read: " + e);
    }
  }

  void release() {
    ReferenceCountUtil.release(bytes);
  }
}
