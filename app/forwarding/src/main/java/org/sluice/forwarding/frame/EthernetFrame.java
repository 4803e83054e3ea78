// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.frame;

import java.util.Arrays;
import java.util.Optional;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;

/** An Ethernet frame (IEEE 802.3), with VLAN tags or without, and the header of IP within it. */
public final class EthernetFrame {
  public static final int TYPE_IPV4 = 0x0800;
  public static final int TYPE_ARP = 0x0806;
  public static final int TYPE_IPV6 = 0x86dd;

  public static final int PROTOCOL_TCP = 6;
  public static final int PROTOCOL_ICMPV6 = 58;

  /** Of a whole frame without its check sequence (IEEE 802.3 section 4.2.3.3). */
  static final int LEAST_BYTES = 60;

  static final int MAC_BYTES = 6;
  static final int ADDRESSES_BYTES = 2 * MAC_BYTES;
  static final int TYPE_BYTES = 2;
  static final int IPV6_HEADER_BYTES = 40;

  private static final int TYPE_CUSTOMER_TAG = 0x8100;
  private static final int TYPE_SERVICE_TAG = 0x88a8;
  private static final int TAG_BYTES = 4;
  private static final int IPV4_HEADER_BYTES = 20;
  private static final int FRAGMENT_OFFSET = 0x1fff;
  private static final MacAddress BROADCAST = MacAddress.parse("ff:ff:ff:ff:ff:ff");

  private final byte[] bytes;
  private final int typeAt;

  private EthernetFrame(byte[] bytes, int typeAt) {
    this.bytes = bytes;
    this.typeAt = typeAt;
  }

  /**
   * Reads a frame.
   *
   * @param bytes not to be written to afterwards
   * @return empty: it is too short to be one
   */
  public static Optional<EthernetFrame> parse(byte[] bytes) {
    int typeAt = ADDRESSES_BYTES;
    while (typeAt + TYPE_BYTES <= bytes.length) {
      int type = number(bytes, typeAt);
      if (type != TYPE_CUSTOMER_TAG && type != TYPE_SERVICE_TAG) {
        return Optional.of(new EthernetFrame(bytes, typeAt));
      }
      typeAt += TAG_BYTES;
    }
    return Optional.empty();
  }

  /** The whole of it; not to be written to. */
  public byte[] bytes() {
    return bytes;
  }

  public MacAddress destination() {
    return mac(0);
  }

  public MacAddress source() {
    return mac(MAC_BYTES);
  }

  public boolean isBroadcast() {
    return destination().equals(BROADCAST);
  }

  /** What it carries, behind its VLAN tags. */
  public int type() {
    return number(bytes, typeAt);
  }

  /** Its VLAN tags as they stand. */
  byte[] tags() {
    return Arrays.copyOfRange(bytes, ADDRESSES_BYTES, typeAt);
  }

  /** Whether it has so many bytes behind its type. */
  boolean hasPayload(int length) {
    return payloadAt() + length <= bytes.length;
  }

  /** An octet behind its type. */
  int octet(int at) {
    return bytes[payloadAt() + at] & 0xff;
  }

  /** Two octets behind its type. */
  int number(int at) {
    return number(bytes, payloadAt() + at);
  }

  /** An address of 4 or 16 octets behind its type. */
  IpAddress ip(int at, int length) {
    return IpAddress.of(Arrays.copyOfRange(bytes, payloadAt() + at, payloadAt() + at + length));
  }

  private int payloadAt() {
    return typeAt + TYPE_BYTES;
  }

  private MacAddress mac(int at) {
    return MacAddress.of(Arrays.copyOfRange(bytes, at, at + MAC_BYTES));
  }

  private static int number(byte[] bytes, int at) {
    return (bytes[at] & 0xff) << 8 | bytes[at + 1] & 0xff;
  }

  /** The header of IPv4 or IPv6. */
  public Optional<Ip> ip() {
    if (type() == TYPE_IPV4 && hasPayload(IPV4_HEADER_BYTES) && octet(0) >> 4 == 4) {
      int headerBytes = (octet(0) & 0xf) * 4;
      boolean isFirst = (number(6) & FRAGMENT_OFFSET) == 0;
      return headerBytes < IPV4_HEADER_BYTES
          ? Optional.empty()
          : Optional.of(new Ip(ip(12, 4), ip(16, 4), isFirst ? octet(9) : Ip.NONE, headerBytes));
    }
    if (type() == TYPE_IPV6 && hasPayload(IPV6_HEADER_BYTES) && octet(0) >> 4 == 6) {
      return Optional.of(new Ip(ip(8, 16), ip(24, 16), octet(6), IPV6_HEADER_BYTES));
    }
    return Optional.empty();
  }

  /** A header of IPv4 or IPv6. */
  public static final class Ip {
    /** No protocol: a fragment that is not the first has none of its header. */
    static final int NONE = -1;

    private final IpAddress source;
    private final IpAddress destination;
    private final int protocol;
    private final int headerBytes;

    private Ip(IpAddress source, IpAddress destination, int protocol, int headerBytes) {
      this.source = source;
      this.destination = destination;
      this.protocol = protocol;
      this.headerBytes = headerBytes;
    }

    public IpAddress source() {
      return source;
    }

    public IpAddress destination() {
      return destination;
    }

    /** What follows at once; in IPv6 it may be an extension header. */
    int protocol() {
      return protocol;
    }

    /** Where that begins, behind the frame's type. */
    int headerBytes() {
      return headerBytes;
    }
  }
}
