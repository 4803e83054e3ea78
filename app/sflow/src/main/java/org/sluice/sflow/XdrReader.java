// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

import java.nio.ByteBuffer;

/**
 * A datagram, read at places that the caller has checked, and the first reason why it is malformed.
 * Numbers are in network order (RFC 4506).
 */
final class XdrReader {
  private ByteBuffer bytes = ByteBuffer.allocate(0);
  private int end;
  private DatagramFault fault = DatagramFault.TRUNCATED;

  /** Reads this one from now on, from 0 to its limit. */
  void open(ByteBuffer datagram) {
    bytes = datagram;
    end = datagram.limit();
  }

  /** Behind the last byte. */
  int end() {
    return end;
  }

  int octet(int at) {
    return bytes.get(at) & 0xff;
  }

  int pair(int at) {
    return bytes.getShort(at) & 0xffff;
  }

  int word(int at) {
    return bytes.getInt(at);
  }

  long unsigned(int at) {
    return bytes.getInt(at) & 0xffffffffL;
  }

  long hyper(int at) {
    return bytes.getLong(at);
  }

  /** Remembers the reason; false, for the caller to return. */
  boolean fail(DatagramFault why) {
    fault = why;
    return false;
  }

  /** Why the last check failed. */
  DatagramFault fault() {
    return fault;
  }
}
