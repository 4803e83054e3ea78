// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.port;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.sluice.api.IpAddress;

class NextHopHashTest {
  private static final String LEAF = port("s1/1").datapath();
  private static final List<Long> PORTS = ports(5, 6, 7, 8);

  private static List<Long> ports(long... numbers) {
    return Arrays.stream(numbers).boxed().collect(Collectors.toList());
  }

  private static IpAddress destination(int number) {
    return IpAddress.parse("10.0." + number / 256 + "." + number % 256);
  }

  @Test
  void destinationsAreSpreadOverAllPorts() {
    Map<Long, Integer> counts = new HashMap<>();
    for (int i = 0; i < 1000; i++) {
      counts.merge(NextHopHash.chosen(LEAF, destination(i), PORTS), 1, Integer::sum);
    }

    assertThat(counts.keySet()).containsExactlyInAnyOrderElementsOf(PORTS);
    assertThat(counts.values()).allMatch(count -> count > 190 && count < 310);
  }

  @Test
  void removedPortMovesOnlyItsDestinations() {
    for (int i = 0; i < 1000; i++) {
      long before = NextHopHash.chosen(LEAF, destination(i), PORTS);
      long after = NextHopHash.chosen(LEAF, destination(i), ports(5, 6, 8));

      if (before != 7) {
        assertThat(after).isEqualTo(before);
      }
    }
  }

  @Test
  void switchesChooseIndependently() {
    String other = port("s2/1").datapath();
    int alike = 0;
    for (int i = 0; i < 1000; i++) {
      if (NextHopHash.chosen(LEAF, destination(i), PORTS)
          == NextHopHash.chosen(other, destination(i), PORTS)) {
        alike++;
      }
    }

    assertThat(alike).isBetween(190, 310);
  }

  @Test
  void addressesOfBothFamiliesAreHashed() {
    assertThat(PORTS).contains(NextHopHash.chosen(LEAF, IpAddress.parse("fd00::1"), PORTS));
  }
}
