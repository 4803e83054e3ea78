// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.silent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;
import static org.sluice.core.testing.Samples.endpointId;
import static org.sluice.core.testing.Samples.port;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sluice.api.IpAddress;
import org.sluice.core.silent.LimitGroups.Group;
import org.sluice.core.spi.EdgeLimit;

class LimitGroupsTest {
  private static final List<EdgeLimit> LIMITS =
      List.of(limit("h2/vm0", "s1/2", 4), limit("h1/vm1", "s1/1", 2), limit("h1/vm0", "s1/1", 1));

  private static EdgeLimit limit(String endpoint, String at, long rate) {
    return EdgeLimit.of(endpointId(endpoint), port(at), Set.of(ip(rate)), rate);
  }

  private static IpAddress ip(long last) {
    return IpAddress.parse("10.0.0." + last);
  }

  @Test
  void endpointsHaveTheirOwnMeterWhileMetersSuffice() {
    assertThat(LimitGroups.of(LIMITS, 3))
        .extracting(Group::name)
        .containsExactly("h1/vm0", "h1/vm1", "h2/vm0");
  }

  @Test
  void remainingEndpointsOfAPortShareAMeterWithTheirSum() {
    assertThat(LimitGroups.of(LIMITS, 0))
        .extracting(Group::port, Group::bitsPerSecond, Group::ips)
        .containsExactly(
            tuple(port("s1/1"), 3L, Set.of(ip(1), ip(2))), tuple(port("s1/2"), 4L, Set.of(ip(4))));
    assertThat(LimitGroups.of(LIMITS, 2))
        .extracting(Group::name)
        .containsExactly("h1/vm0", "h1/vm1", port("s1/2").toString());
  }
}
