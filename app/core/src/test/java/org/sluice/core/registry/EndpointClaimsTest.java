// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.endpointId;

import java.util.List;
import java.util.Optional;
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
    assertThat(claims.held())
        .containsExactly(FIRST, endpoint("h2/vm0", "02:00:00:00:01:02", "10.0.0.2"));
  }

  @Test
  void nextClaimHoldsOnceTheHolderReleasesTheAddress() {
    claims.report(H1, List.of(FIRST));
    claims.report(H2, List.of(SECOND));

    claims.report(H1, List.of());

    assertThat(holder()).contains(endpointId("h2/vm0"));
    assertThat(claims.held()).containsExactly(SECOND);
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
    assertThat(claims.held()).isEmpty();
  }
}
