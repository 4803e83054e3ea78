// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.endpointId;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.link.ReportedEndpoint;

class EndpointClaimsTest {
  private static final HostId H1 = HostId.of("h1");
  private static final HostId H2 = HostId.of("h2");
  private static final IpAddress IP = IpAddress.parse("10.0.0.1");
  private static final ReportedEndpoint FIRST = endpoint("h1/vm0", "02:00:00:00:01:01", "10.0.0.1");
  private static final ReportedEndpoint SECOND =
      endpoint("h2/vm0", "02:00:00:00:01:02", "10.0.0.1", "10.0.0.2");

  private final EndpointClaims claims = new EndpointClaims();

  private final Map<EndpointId, ReportedEndpoint> held = new TreeMap<>();
  private final Map<EndpointId, Map<IpAddress, String>> refused = new TreeMap<>();

  /** As somebody knows them who looks at nothing but what was touched. */
  private Collection<ReportedEndpoint> held() {
    for (EndpointId id : claims.takeTouched()) {
      claims.held(id).ifPresentOrElse(endpoint -> held.put(id, endpoint), () -> held.remove(id));
      refused.put(id, claims.refused(id));
    }
    return held.values();
  }

  private Optional<EndpointId> holder() {
    return claims.holder(IP);
  }

  @Test
  void firstClaimHoldsAndTheSecondIsReportedOnce() {
    assertThat(claims.report(H1, List.of(FIRST))).isEmpty();

    List<EndpointClaims.Conflict> conflicts = claims.report(H2, List.of(SECOND));

    assertThat(conflicts).hasSize(1);
    assertThat(conflicts.get(0).ip).isEqualTo(IP);
    assertThat(conflicts.get(0).claimant).isEqualTo(SECOND.id());
    assertThat(conflicts.get(0).reason).contains("h1/vm0 claimed it first");
    assertThat(claims.report(H2, List.of(SECOND))).isEmpty();
    assertThat(held()).containsExactly(FIRST, endpoint("h2/vm0", "02:00:00:00:01:02", "10.0.0.2"));
  }

  @Test
  void nextClaimHoldsOnceTheHolderReleasesTheAddress() {
    claims.report(H1, List.of(FIRST));
    claims.report(H2, List.of(SECOND));

    claims.report(H1, List.of());

    assertThat(holder()).contains(endpointId("h2/vm0"));
    assertThat(held()).containsExactly(SECOND);
  }

  @Test
  void addressMovesFromADisconnectedHost() {
    claims.report(H1, List.of(FIRST));
    claims.away(H1);
    assertThat(holder()).contains(FIRST.id());

    claims.report(H2, List.of(SECOND));

    assertThat(holder()).contains(SECOND.id());
  }

  @Test
  void repeatedClaimKeepsItsPositionInTheQueue() {
    claims.report(H1, List.of(FIRST));
    claims.report(H2, List.of(SECOND));

    assertThat(claims.report(H1, List.of(FIRST))).isEmpty();

    assertThat(holder()).contains(FIRST.id());
  }

  @Test
  void unclaimedAddressHasNoHolder() {
    claims.report(H1, List.of(FIRST));
    claims.report(H1, List.of());

    assertThat(holder()).isEmpty();
    assertThat(held()).isEmpty();
  }

  @Test
  void whoeverIsNotTouchedIsAsBefore() {
    Random random = new Random(14);
    for (int step = 0; step < 3000; step++) {
      change(random);
      held();
      for (int host = 0; host < 4; host++) {
        for (int nic = 0; nic < 3; nic++) {
          EndpointId id = endpointId("h" + host + "/vm" + nic);
          assertThat(Optional.ofNullable(held.get(id)))
              .as("step " + step)
              .isEqualTo(claims.held(id));
          assertThat(refused.getOrDefault(id, Map.of()))
              .as("step " + step)
              .isEqualTo(claims.refused(id));
        }
      }
    }
  }

  private void change(Random random) {
    HostId host = HostId.of("h" + random.nextInt(4));
    switch (random.nextInt(8)) {
      case 0:
        claims.away(host);
        return;
      case 1:
        claims.forget(host);
        return;
      case 2:
        IpAddress forbidden = address(random);
        claims.setRules(
            (endpoint, ip) -> ip.equals(forbidden) ? Optional.of("forbidden") : Optional.empty());
        return;
      case 3:
        Map<IpAddress, EndpointId> decisions = new HashMap<>();
        for (int i = 0; i < 3; i++) {
          decisions.put(
              address(random), endpointId("h" + random.nextInt(5) + "/vm" + random.nextInt(3)));
        }
        claims.setDecisions(decisions);
        return;
      default:
        List<ReportedEndpoint> list = new ArrayList<>();
        for (int nic = 0; nic < 3; nic++) {
          if (random.nextInt(4) > 0) {
            list.add(
                endpoint(
                    host + "/vm" + nic,
                    "02:00:00:00:0" + random.nextInt(2) + ":0" + nic,
                    address(random).toString(),
                    address(random).toString()));
          }
        }
        claims.report(host, list);
    }
  }

  private static IpAddress address(Random random) {
    return IpAddress.parse("10.0.0." + random.nextInt(5));
  }
}
