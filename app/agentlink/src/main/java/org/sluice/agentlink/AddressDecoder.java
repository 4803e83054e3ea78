// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import com.google.protobuf.ByteString;
import java.util.HashMap;
import java.util.Map;
import org.sluice.api.IpAddress;

/** Decodes IP addresses of one session; those seen before cost no new object. */
final class AddressDecoder {
  private static final int MAX_CACHED = 16_384;

  private final Map<ByteString, IpAddress> cache = new HashMap<>();

  IpAddress address(String field, ByteString bytes) throws BadMessageException {
    IpAddress known = cache.get(bytes);
    if (known != null) {
      return known;
    }
    if (bytes.size() != 4 && bytes.size() != 16) {
      throw BadMessageException.ignored(
          field + " has " + bytes.size() + " bytes; an IP address has 4 or 16");
    }
    if (cache.size() >= MAX_CACHED) {
      cache.clear();
    }
    // A ByteString of a received message may keep the whole message in memory: store a copy.
    byte[] copy = bytes.toByteArray();
    IpAddress address = IpAddress.of(copy);
    cache.put(ByteString.copyFrom(copy), address);
    return address;
  }
}
