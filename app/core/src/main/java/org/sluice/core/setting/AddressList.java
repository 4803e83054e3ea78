// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.setting;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.sluice.api.IpAddress;

/** Addresses of single machines, as an operator writes them: with commas between. */
final class AddressList {
  private static final int MULTICAST_V4 = 224;
  private static final int MULTICAST_V6 = 255;

  private AddressList() {}

  /** The addresses, each once and in their order; empty: one is wrong, or there are too many. */
  static Optional<List<IpAddress>> parse(String text, int most) {
    Set<IpAddress> addresses = new LinkedHashSet<>();
    for (String entry : entries(text)) {
      Optional<IpAddress> address = machine(entry);
      if (address.isEmpty()) {
        return Optional.empty();
      }
      addresses.add(address.get());
    }
    return addresses.size() > most ? Optional.empty() : Optional.of(List.copyOf(addresses));
  }

  /** The first that is wrong; the whole text if each is right. */
  static String firstWrong(String text) {
    return entries(text).stream()
        .filter(entry -> machine(entry).isEmpty())
        .findFirst()
        .orElse(text);
  }

  static String write(List<?> addresses) {
    return addresses.stream().map(Object::toString).collect(Collectors.joining(","));
  }

  private static List<String> entries(String text) {
    List<String> entries = new ArrayList<>();
    if (!text.isBlank()) {
      for (String entry : text.split(",", -1)) {
        entries.add(entry.trim());
      }
    }
    return entries;
  }

  /** An address that a packet may come from. */
  private static Optional<IpAddress> machine(String text) {
    return literal(text).filter(AddressList::isMachines);
  }

  static Optional<IpAddress> literal(String text) {
    try {
      return Optional.of(IpAddress.parse(text));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static boolean isMachines(IpAddress address) {
    byte[] bytes = address.toBytes();
    int first = bytes[0] & 0xff;
    boolean isZero = true;
    for (byte each : bytes) {
      isZero &= each == 0;
    }
    return !isZero && first < (address.isIpv4() ? MULTICAST_V4 : MULTICAST_V6);
  }
}
