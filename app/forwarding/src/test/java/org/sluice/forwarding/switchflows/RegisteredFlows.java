// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.switchflows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.hello;

import java.util.List;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.SluiceException;
import org.sluice.api.deadline.DeadlineRequest;
import org.sluice.api.deadline.FlowAdminService;
import org.sluice.api.deadline.FlowDecision;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.link.FlowReport;
import org.sluice.api.link.FlowUpdate;
import org.sluice.api.link.UplinkMessage;
import org.sluice.forwarding.testing.FabricUnderTest;
import org.sluice.forwarding.testing.NodeUnderTest;

/**
 * The application on a platform: two switches with 50 Mbit/s between them, host h1 at the one and
 * h5 at the other.
 */
final class RegisteredFlows {
  private static final HostId H1 = HostId.of("h1");
  private static final long BITS_PER_SECOND = 50_000_000;
  private static final long MILLI = 1_000_000;

  final FabricUnderTest fabric;
  final NodeUnderTest node;

  RegisteredFlows(NodeUnderTest node) {
    this.node = node;
    fabric = node.fabric();
    fabric.connect("s1", 1, 2, 5);
    fabric.connect("s2", 1, 2, 5);
    fabric.link("s1/5", "s2/5");
    fabric.setCapacity("s1/5", BITS_PER_SECOND);
    node.start();
    fabric.until(() -> assertThat(node.plane().topology().interSwitchPorts()).hasSize(2));
    fabric.until(() -> assertThat(node.plane().forwarding().own()).isTrue());
    host("h1", 1, "s1/1");
    host("h5", 5, "s2/1");
    fabric.until(
        () ->
            assertThat(node.plane().attachments().all())
                .containsKeys(IpAddress.parse("10.0.0.1"), IpAddress.parse("10.0.0.5")));
  }

  private void host(String name, int number, String port) {
    String mac = "02:00:00:00:01:0" + number;
    String ip = "10.0.0." + number;
    fabric.seen(mac, port, ip);
    node.link().connect(hello(name, endpoint(name + "/vm0", mac, ip)));
  }

  FlowAdminService flows() {
    return node.service(FlowAdminService.class);
  }

  /** A flow of h1 to h5, at port 5001 there. */
  static FlowKey flow(int sourcePort) {
    return FlowKey.of(IpAddress.parse("10.0.0.1"), sourcePort, IpAddress.parse("10.0.0.5"), 5001);
  }

  FlowDecision register(FlowKey key, long bytes, long dueMillis) throws SluiceException {
    return flows().register(DeadlineRequest.of(key, bytes, dueMillis * MILLI, false));
  }

  /** The host of the flow's source reports. */
  void report(FlowKey flow, FlowUpdate.State state, long deliveredBytes) {
    report(false, FlowUpdate.of(flow, state, deliveredBytes, 400_000, false));
  }

  /** Host h1 reports that it has no connections. */
  void reportNone() {
    report(true);
  }

  private void report(boolean complete, FlowUpdate... flows) {
    node.link()
        .report(
            UplinkMessage.ofFlowReport(
                FlowReport.of(H1, fabric.nanoTime(), complete, List.of(flows))));
  }

  FlowStatus status(long id) {
    try {
      return flows().flow(id).orElseThrow();
    } catch (SluiceException e) {
      throw new AssertionError(e);
    }
  }

  void awaitState(long id, FlowState state) {
    fabric.until(() -> assertThat(status(id).state()).isEqualTo(state));
  }
}
