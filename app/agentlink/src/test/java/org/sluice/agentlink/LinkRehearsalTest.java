// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.link.FlowNews;
import org.sluice.api.link.FlowReport;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.Loss;
import org.sluice.api.link.LossReport;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.PortQueueSample;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.api.link.WindowGrant;

class LinkRehearsalTest {
  private static final HostId H1 = HostId.of("h1");
  private static final IpAddress IP1 = IpAddress.parse("10.0.0.1");
  private static final IpAddress IP5 = IpAddress.parse("10.0.0.5");
  private static final MacAddress MAC = MacAddress.parse("02:00:00:00:01:01");
  private static final PortId PORT = PortId.parse("of:0000000000000001/5");
  private static final FlowKey FLOW = FlowKey.of(IP1, 40_000, IP5, 5001);
  private static final HostHello HELLO =
      HostHello.of(
          H1,
          "0.1.0",
          "up0",
          MAC,
          50_000_000,
          List.of(ReportedEndpoint.of(EndpointId.of(H1, "vm0"), MAC, Set.of(IP1))),
          List.of(),
          List.of(PORT));

  private final LinkRehearsal link = new LinkRehearsal(HELLO);
  private final RecordingListener listener = new RecordingListener();

  @Test
  void whatIsSaidComesAsItWould() throws Exception {
    link.addListener(listener);
    link.connected(HELLO);
    assertThat(listener.next(HostHello.class)).isEqualTo(HELLO);
    assertThat(link.connectedHosts()).containsExactly(H1);

    FlowNews news =
        FlowNews.of(FLOW, FlowNews.State.ESTABLISHED, 5_000_000_000L, 400_000, false)
            .progressedBefore(3_000)
            .acknowledgedTo(0xffff_fffeL);
    link.flowsReported(FlowReport.of(H1, 0, true, List.of(news)));
    FlowReport report = listener.next(FlowReport.class);
    assertThat(report.flows()).containsExactly(news);
    assertThat(report.complete()).isTrue();

    PortQueueSample sample = PortQueueSample.of(PORT, 1, 2, 3, 4, 5, 6, 7);
    link.queued(PortQueueObservation.of(H1, 0, 5_000_000, List.of(sample)));
    assertThat(listener.next(PortQueueObservation.class).ports()).containsExactly(sample);

    Loss loss = Loss.of(PORT, FLOW, 0xffff_fff0L, 1448, 9);
    link.lost(LossReport.of(H1, 0, List.of(loss)));
    assertThat(listener.next(LossReport.class).losses()).containsExactly(loss);
  }

  @Test
  void whatItIsToldBecomesBytes() {
    link.connected(HELLO);
    HostLinkStats before = stats();
    link.sendGrants(H1, 1, List.of(WindowGrant.of(FLOW, 4000)));
    assertThat(stats().sentMessages()).isEqualTo(before.sentMessages() + 1);
    assertThat(stats().sentBytes()).isGreaterThan(before.sentBytes());
  }

  private HostLinkStats stats() {
    return link.stats().get(0);
  }

  @Test
  void whatAControllerWouldRefuseIsAFault() {
    link.connected(HELLO);
    FlowNews news =
        FlowNews.of(
            FlowKey.of(IP1, FlowKey.ANY_PORT, IP5, 5001), FlowNews.State.OPENED, 0, 0, false);
    assertThatThrownBy(() -> link.flowsReported(FlowReport.of(H1, 0, false, List.of(news))))
        .isInstanceOf(IllegalStateException.class);
  }
}
