// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

/** What is known of a sampled packet. Used again for every sample. */
final class SampledPacket {
  static final int TCP = 6;
  static final int UDP = 17;

  private static final int FIN = 0x01;
  private static final int RST = 0x04;

  /** Why it belongs to no flow; null: it does, and the fields below hold. */
  private UnusableSample fault = UnusableSample.NO_PACKET;

  boolean isIpv4;

  /** The address, the first half; 0 for IPv4. */
  long sourceHigh;

  /** The address, the second half, or all of IPv4's. */
  long sourceLow;

  long destinationHigh;
  long destinationLow;
  int sourcePort;
  int destinationPort;
  int protocol;

  /** Of TCP; 0 if they were not sampled. */
  int tcpFlags;

  /** Header and payload of IP, without padding; bytes. */
  long ipBytes;

  /** Forgets the packet before. */
  void clear() {
    fault = UnusableSample.NO_PACKET;
    tcpFlags = 0;
  }

  /** It belongs to no flow; false, for the caller to return. */
  boolean fail(UnusableSample why) {
    fault = why;
    return false;
  }

  /** All fields are set: it belongs to a flow if there can be such a one. */
  boolean complete() {
    boolean toItself = sourceHigh == destinationHigh && sourceLow == destinationLow;
    if (toItself || sourcePort == 0 || destinationPort == 0 || isMapped()) {
      return fail(UnusableSample.MALFORMED);
    }
    fault = null;
    return true;
  }

  /** An address of IPv4 in a header of IPv6 would be taken for another's. */
  private boolean isMapped() {
    return !isIpv4
        && (sourceHigh == 0 && sourceLow >>> 32 == 0xffff
            || destinationHigh == 0 && destinationLow >>> 32 == 0xffff);
  }

  boolean isUsable() {
    return fault == null;
  }

  /** Why it is not usable. */
  UnusableSample fault() {
    return fault;
  }

  /** Whether its sender will send nothing behind it. */
  boolean endsFlow() {
    return protocol == TCP && (tcpFlags & (FIN | RST)) != 0;
  }
}
