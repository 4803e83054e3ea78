// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

/**
 * Reads the sampled beginning of a packet: Ethernet with up to two VLAN tags, IPv4 with options,
 * IPv6 with up to 8 extension headers, TCP, UDP. What is tunnelled counts as the tunnel's.
 */
final class PacketParser {
  private static final int MAX_TAGS = 2;
  private static final int MAX_EXTENSIONS = 8;

  private static final int ETHERNET_BYTES = 14;
  private static final int TAG_BYTES = 4;
  private static final int TYPE_IPV4 = 0x0800;
  private static final int TYPE_IPV6 = 0x86dd;
  private static final int TYPE_TAG = 0x8100;
  private static final int TYPE_SERVICE_TAG = 0x88a8;
  private static final int TYPE_OLD_SERVICE_TAG = 0x9100;

  private static final int IPV4_BYTES = 20;
  private static final int FRAGMENT_OFFSET = 0x1fff;
  private static final int IPV6_BYTES = 40;
  private static final int PORTS_BYTES = 4;
  private static final int TCP_FLAGS_AT = 13;

  private static final int HOP_BY_HOP = 0;
  private static final int ROUTING = 43;
  private static final int FRAGMENT = 44;
  private static final int AUTHENTICATION = 51;
  private static final int DESTINATION_OPTIONS = 60;

  private final XdrReader reader;
  private int end;

  PacketParser(XdrReader reader) {
    this.reader = reader;
  }

  /**
   * Reads a frame of Ethernet.
   *
   * @param length sampled bytes
   * @param frameBytes all bytes of the frame, without its checksum
   */
  void ethernet(int start, int length, long frameBytes, SampledPacket into) {
    end = start + length;
    int typeAt = start + ETHERNET_BYTES - 2;
    for (int tags = 0; typeAt + 2 <= end; tags++) {
      int type = reader.pair(typeAt);
      if (!isTag(type) || tags == MAX_TAGS) {
        int ip = typeAt + 2;
        network(type, ip, frameBytes - (ip - start), into);
        return;
      }
      typeAt += TAG_BYTES;
    }
    into.fail(UnusableSample.CUT);
  }

  /**
   * Reads a packet of IP that was sampled without a frame.
   *
   * @param packetBytes all its bytes
   */
  void ip(int start, int length, boolean isIpv4, long packetBytes, SampledPacket into) {
    end = start + length;
    network(isIpv4 ? TYPE_IPV4 : TYPE_IPV6, start, packetBytes, into);
  }

  private static boolean isTag(int type) {
    return type == TYPE_TAG || type == TYPE_SERVICE_TAG || type == TYPE_OLD_SERVICE_TAG;
  }

  private boolean network(int type, int at, long room, SampledPacket into) {
    if (type == TYPE_IPV4) {
      return ipv4(at, room, into);
    }
    return type == TYPE_IPV6 ? ipv6(at, room, into) : into.fail(UnusableSample.NOT_IP);
  }

  private boolean ipv4(int at, long room, SampledPacket into) {
    if (end - at < IPV4_BYTES) {
      return into.fail(UnusableSample.CUT);
    }
    int headerBytes = (reader.octet(at) & 0xf) * 4;
    int totalBytes = reader.pair(at + 2);
    if (reader.octet(at) >> 4 != 4
        || headerBytes < IPV4_BYTES
        || !measure(totalBytes, headerBytes, room, into)) {
      return into.fail(UnusableSample.MALFORMED);
    }
    if ((reader.pair(at + 6) & FRAGMENT_OFFSET) != 0) {
      return into.fail(UnusableSample.FRAGMENT);
    }
    into.isIpv4 = true;
    into.sourceHigh = 0;
    into.sourceLow = reader.unsigned(at + 12);
    into.destinationHigh = 0;
    into.destinationLow = reader.unsigned(at + 16);
    return transport(reader.octet(at + 9), at + headerBytes, into);
  }

  private boolean ipv6(int at, long room, SampledPacket into) {
    if (end - at < IPV6_BYTES) {
      return into.fail(UnusableSample.CUT);
    }
    int payload = reader.pair(at + 4);
    if (reader.octet(at) >> 4 != 6
        || !measure(payload == 0 ? 0 : payload + IPV6_BYTES, IPV6_BYTES, room, into)) {
      return into.fail(UnusableSample.MALFORMED);
    }
    into.isIpv4 = false;
    into.sourceHigh = reader.hyper(at + 8);
    into.sourceLow = reader.hyper(at + 16);
    into.destinationHigh = reader.hyper(at + 24);
    into.destinationLow = reader.hyper(at + 32);
    return extensions(reader.octet(at + 6), at + IPV6_BYTES, into);
  }

  /**
   * The packet's own length counts, which knows no padding; but not more than the frame carried.
   * Frames that a switch has joined may have a length of 0.
   */
  private static boolean measure(int ownBytes, int headerBytes, long room, SampledPacket into) {
    into.ipBytes = ownBytes == 0 ? room : Math.min(ownBytes, room);
    return into.ipBytes >= headerBytes;
  }

  private boolean extensions(int firstHeader, int firstAt, SampledPacket into) {
    int header = firstHeader;
    int at = firstAt;
    for (int seen = 0; seen <= MAX_EXTENSIONS; seen++) {
      if (!isExtension(header)) {
        return transport(header, at, into);
      }
      if (end - at < 8) {
        return into.fail(UnusableSample.CUT);
      }
      if (header == FRAGMENT && reader.pair(at + 2) >> 3 != 0) {
        return into.fail(UnusableSample.FRAGMENT);
      }
      int next = reader.octet(at);
      at += extensionBytes(header, reader.octet(at + 1));
      header = next;
    }
    return into.fail(UnusableSample.NOT_TCP_OR_UDP);
  }

  private static boolean isExtension(int header) {
    return header == HOP_BY_HOP
        || header == ROUTING
        || header == FRAGMENT
        || header == AUTHENTICATION
        || header == DESTINATION_OPTIONS;
  }

  private static int extensionBytes(int header, int length) {
    if (header == FRAGMENT) {
      return 8;
    }
    return header == AUTHENTICATION ? (length + 2) * 4 : (length + 1) * 8;
  }

  private boolean transport(int protocol, int at, SampledPacket into) {
    if (protocol != SampledPacket.TCP && protocol != SampledPacket.UDP) {
      return into.fail(UnusableSample.NOT_TCP_OR_UDP);
    }
    if (end - at < PORTS_BYTES) {
      return into.fail(UnusableSample.CUT);
    }
    into.protocol = protocol;
    into.sourcePort = reader.pair(at);
    into.destinationPort = reader.pair(at + 2);
    boolean hasFlags = protocol == SampledPacket.TCP && end - at > TCP_FLAGS_AT;
    into.tcpFlags = hasFlags ? reader.octet(at + TCP_FLAGS_AT) : 0;
    return into.complete();
  }
}
