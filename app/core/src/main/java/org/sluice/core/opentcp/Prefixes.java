// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.opentcp;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.sluice.api.IpAddress;
import org.sluice.api.IpPrefix;

/** The fewest prefixes that have given addresses in them, and no others. */
final class Prefixes {
  private static final int BITS_PER_BYTE = 8;

  private Prefixes() {}

  /** By family and address. */
  static List<IpPrefix> of(Collection<IpAddress> addresses) {
    Map<Integer, TreeSet<IpAddress>> byBits = new TreeMap<>();
    for (IpAddress address : addresses) {
      byBits
          .computeIfAbsent(address.toBytes().length * BITS_PER_BYTE, bits -> new TreeSet<>())
          .add(address);
    }
    List<IpPrefix> found = new ArrayList<>();
    byBits.forEach((bits, ofFamily) -> merge(ofFamily, bits, found));
    found.sort(Comparator.comparing(IpPrefix::address));
    return found;
  }

  /** Two halves are a whole, as often as there are two. */
  private static void merge(Set<IpAddress> addresses, int bits, List<IpPrefix> into) {
    Set<IpAddress> left = addresses;
    for (int length = bits; !left.isEmpty(); length--) {
      Set<IpAddress> shorter = new TreeSet<>();
      for (IpAddress address : left) {
        if (length > 0 && left.contains(otherHalf(address, length))) {
          shorter.add(IpPrefix.of(address, length - 1).address());
        } else {
          into.add(IpPrefix.of(address, length));
        }
      }
      left = shorter;
    }
  }

  private static IpAddress otherHalf(IpAddress address, int length) {
    byte[] bytes = address.toBytes();
    int bit = length - 1;
    bytes[bit / BITS_PER_BYTE] ^= (byte) (0x80 >> bit % BITS_PER_BYTE);
    return IpAddress.of(bytes);
  }
}
