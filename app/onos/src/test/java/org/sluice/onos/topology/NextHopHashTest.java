// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.onos.testing.Samples.point;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.onlab.packet.IpAddress;
import org.onosproject.net.DeviceId;
import org.onosproject.net.PortNumber;

class NextHopHashTest {
  private static final DeviceId LEAF = point("s1/1").deviceId();
  private static final List<PortNumber> PORTS = ports(5, 6, 7, 8);

  private static List<PortNumber> ports(long... numbers) {
    return Arrays.stream(numbers).mapToObj(PortNumber::portNumber).collect(Collectors.toList());
  }

  private static IpAddress destination(int number) {
    return IpAddress.valueOf(0x0a000000 + number);
  }

  @Test
  void destinationsAreSpreadOverAllPorts() {
    Map<PortNumber, Integer> counts = new HashMap<>();
    for (int i = 0; i < 1000; i++) {
      counts.merge(NextHopHash.chosen(LEAF, destination(i), PORTS), 1, Integer::sum);
    }

    assertThat(counts.keySet()).containsExactlyInAnyOrderElementsOf(PORTS);
    assertThat(counts.values()).allMatch(count -> count > 190 && count < 310);
  }

  @Test
  void removedPortMovesOnlyItsDestinations() {
    for (int i = 0; i < 1000; i++) {
      PortNumber before = NextHopHash.chosen(LEAF, destination(i), PORTS);
      PortNumber after = NextHopHash.chosen(LEAF, destination(i), ports(5, 6, 8));

      if (before.toLong() != 7) {
        assertThat(after).isEqualTo(before);
      }
    }
  }

  @Test
  void switchesChooseIndependently() {
    DeviceId other = point("s2/1").deviceId();
    int alike = 0;
    for (int i = 0; i < 1000; i++) {
      if (NextHopHash.chosen(LEAF, destination(i), PORTS)
          .equals(NextHopHash.chosen(other, destination(i), PORTS))) {
        alike++;
      }
    }

    assertThat(alike).isBetween(190, 310);
  }

  @Test
  void addressesOfBothFamiliesAreHashed() {
    assertThat(PORTS).contains(NextHopHash.chosen(LEAF, IpAddress.valueOf("fd00::1"), PORTS));
  }
}
