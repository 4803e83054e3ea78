// SPDX-License-Identifier: Apache-2.0
package org.sluice.openflow;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;

/** Cuts the stream into messages by the length in their headers. */
final class FrameDecoder extends ByteToMessageDecoder {
  private static final int LENGTH_OFFSET = 2;

  /** OpenFlow has versions 1.0 to 1.5, numbered 1 to 6; some space for what comes. */
  private static final int LAST_VERSION = 15;

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out)
      throws ProtocolFault {
    // Garbage is known by its first byte, before it promises a length that never comes.
    int version = in.getUnsignedByte(in.readerIndex());
    if (version == 0 || version > LAST_VERSION) {
      throw fault(in, "a message begins with " + version + ", no version of OpenFlow");
    }
    if (in.readableBytes() < Frame.HEADER_BYTES) {
      return;
    }
    int length = in.getUnsignedShort(in.readerIndex() + LENGTH_OFFSET);
    if (length < Frame.HEADER_BYTES) {
      throw fault(in, "a message has a length of " + length + " bytes, less than a header");
    }
    if (in.readableBytes() >= length) {
      out.add(new Frame(in.readRetainedSlice(length)));
    }
  }

  /** Nothing that follows can be trusted to begin where a message begins. */
  private static ProtocolFault fault(ByteBuf in, String message) {
    in.skipBytes(in.readableBytes());
    return new ProtocolFault(message);
  }
}
