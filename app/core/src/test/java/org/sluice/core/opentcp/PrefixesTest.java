// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.opentcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.sluice.api.IpAddress;
import org.sluice.api.IpPrefix;

class PrefixesTest {
  private static final byte[] BASE = {10, 0, 0, 0};

  private static IpAddress address(int last) {
    byte[] bytes = BASE.clone();
    bytes[3] = (byte) last;
    return IpAddress.of(bytes);
  }

  private static List<String> of(String... addresses) {
    return Prefixes.of(Set.of(addresses).stream().map(IpAddress::parse).collect(Collectors.toSet()))
        .stream()
        .map(IpPrefix::toString)
        .collect(Collectors.toList());
  }

  @Example
  void adjacentPrefixesAreAggregated() {
    assertThat(of("10.0.0.0", "10.0.0.1", "10.0.0.2", "10.0.0.3")).containsExactly("10.0.0.0/30");
    assertThat(of("10.0.0.1", "10.0.0.2")).containsExactly("10.0.0.1/32", "10.0.0.2/32");
    assertThat(of("fd00::2", "10.0.0.7", "fd00::3")).containsExactly("10.0.0.7/32", "fd00::2/127");
    assertThat(of()).isEmpty();
  }

  @Property
  void prefixesCoverExactlyTheAddressesAndAreMinimal(
      @ForAll @Size(max = 80) Set<@IntRange(max = 255) Integer> last) {
    Set<IpAddress> addresses = new TreeSet<>();
    last.forEach(number -> addresses.add(address(number)));
    List<IpPrefix> prefixes = Prefixes.of(addresses);
    for (int number = 0; number < 256; number++) {
      IpAddress each = address(number);
      assertThat(prefixes.stream().filter(prefix -> prefix.contains(each)).count())
          .isEqualTo(addresses.contains(each) ? 1 : 0);
    }
    for (IpPrefix one : prefixes) {
      for (IpPrefix other : prefixes) {
        boolean areHalves =
            !one.equals(other)
                && one.length() == other.length()
                && IpPrefix.of(one.address(), one.length() - 1).contains(other.address());
        assertThat(areHalves).as("%s and %s", one, other).isFalse();
      }
    }
  }
}
