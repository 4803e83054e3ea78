// SPDX-License-Identifier: Apache-2.0
package org.sluice.openflow;

import io.netty.buffer.ByteBuf;

/** Whether a peer's HELLO allows OpenFlow 1.3; OpenFlow 1.3.5, section 6.3.1. */
final class Hello {
  private static final int ELEMENT_HEADER_BYTES = 4;
  private static final int VERSION_BITMAP = 1;
  private static final int ALIGNMENT = 8;

  private Hello() {}

  /**
   * Reads a HELLO of whatever version.
   *
   * @throws ProtocolFault if an element is longer than the message or shorter than its header
   */
  static boolean allowsVersion13(Frame hello) throws ProtocolFault {
    ByteBuf body = hello.body();
    while (body.readableBytes() >= ELEMENT_HEADER_BYTES) {
      int type = body.getUnsignedShort(body.readerIndex());
      int length = body.getUnsignedShort(body.readerIndex() + 2);
      if (length < ELEMENT_HEADER_BYTES || length > body.readableBytes()) {
        throw new ProtocolFault("HELLO has an element of " + length + " bytes");
      }
      if (type == VERSION_BITMAP && length >= ELEMENT_HEADER_BYTES + Integer.BYTES) {
        return (body.getInt(body.readerIndex() + ELEMENT_HEADER_BYTES) & 1 << Frame.VERSION_13)
            != 0;
      }
      int padded = (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
      body.skipBytes(Math.min(padded, body.readableBytes()));
    }
    // Without a bitmap the lower of the two versions holds: ours must not be above theirs.
    return hello.version() >= Frame.VERSION_13;
  }
}
