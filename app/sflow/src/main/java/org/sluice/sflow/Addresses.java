// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import org.sluice.api.IpAddress;

/** Addresses as numbers, which the hot path keeps them as, and as the socket knows them. */
final class Addresses {
  private Addresses() {}

  static IpAddress ipv4(long address) {
    return IpAddress.of(ByteBuffer.allocate(Integer.BYTES).putInt((int) address).array());
  }

  static IpAddress ipv6(long high, long low) {
    return IpAddress.of(ByteBuffer.allocate(2 * Long.BYTES).putLong(high).putLong(low).array());
  }

  static InetAddress inet(IpAddress address) {
    try {
      return InetAddress.getByAddress(address.toBytes());
    } catch (UnknownHostException e) {
      throw new IllegalStateException("an address has 4 or 16 bytes", e);
    }
  }
}
