// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import com.google.auto.value.AutoValue;
import java.nio.ByteBuffer;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;

/** Between whom a message in band travels, and the Ethernet and IP headers that take it there. */
@AutoValue
public abstract class InBandPath {
  private static final int ETHERNET_BYTES = 14;
  private static final int IPV4_BYTES = 20;
  private static final int IPV6_BYTES = 40;
  private static final short ETHERTYPE_IPV4 = 0x0800;
  private static final short ETHERTYPE_IPV6 = (short) 0x86dd;
  private static final byte HOP_LIMIT = 64;
  private static final short DONT_FRAGMENT = 0x4000;

  /**
   * ECT(0): a port that drops what it cannot mark would otherwise drop the reports of marks first.
   */
  private static final byte ECT_0 = 2;

  /**
   * A path.
   *
   * @param protocol IP protocol number, 0 to 255
   * @param source an address of one of the destinations that the message is about
   * @param destination an address of the endpoint that it is about
   * @throws IllegalArgumentException if the addresses are of different families, or the same
   */
  public static InBandPath of(
      int protocol,
      MacAddress sourceMac,
      MacAddress destinationMac,
      IpAddress source,
      IpAddress destination) {
    if (protocol < 0 || protocol > 255) {
      throw new IllegalArgumentException(
          "protocol " + protocol + " is not an IP protocol number: use 0 to 255");
    }
    if (source.isIpv4() != destination.isIpv4() || source.equals(destination)) {
      throw new IllegalArgumentException(
          "no packet has the path from " + source + " to " + destination);
    }
    return new AutoValue_InBandPath(protocol, sourceMac, destinationMac, source, destination);
  }

  public abstract int protocol();

  public abstract MacAddress sourceMac();

  public abstract MacAddress destinationMac();

  public abstract IpAddress source();

  public abstract IpAddress destination();

  /** The whole frame that carries a message. */
  byte[] frame(byte[] message) {
    boolean ipv4 = source().isIpv4();
    int header = ipv4 ? IPV4_BYTES : IPV6_BYTES;
    ByteBuffer frame = ByteBuffer.allocate(ETHERNET_BYTES + header + message.length);
    frame
        .put(destinationMac().toBytes())
        .put(sourceMac().toBytes())
        .putShort(ipv4 ? ETHERTYPE_IPV4 : ETHERTYPE_IPV6);
    if (ipv4) {
      putIpv4(frame, message.length);
    } else {
      frame
          .putInt(6 << 28 | ECT_0 << 20)
          .putShort((short) message.length)
          .put((byte) protocol())
          .put(HOP_LIMIT);
    }
    return frame.put(source().toBytes()).put(destination().toBytes()).put(message).array();
  }

  private void putIpv4(ByteBuffer frame, int length) {
    ByteBuffer header = ByteBuffer.allocate(IPV4_BYTES);
    header
        .put((byte) 0x45)
        .put(ECT_0)
        .putShort((short) (IPV4_BYTES + length))
        .putShort((short) 0)
        .putShort(DONT_FRAGMENT)
        .put(HOP_LIMIT)
        .put((byte) protocol())
        .putShort((short) 0)
        .put(source().toBytes())
        .put(destination().toBytes());
    int sum = 0;
    for (int at = 0; at < IPV4_BYTES; at += 2) {
      sum += header.getShort(at) & 0xffff;
    }
    sum = (sum & 0xffff) + (sum >>> 16);
    sum = (sum & 0xffff) + (sum >>> 16);
    frame.put(header.array(), 0, 10).putShort((short) ~sum);
  }

  /** An address as signatures cover it: 16 bytes, IPv4 mapped into IPv6. */
  static byte[] wide(IpAddress address) {
    byte[] bytes = address.toBytes();
    if (!address.isIpv4()) {
      return bytes;
    }
    return ByteBuffer.allocate(16).putShort(10, (short) 0xffff).position(12).put(bytes).array();
  }
}
