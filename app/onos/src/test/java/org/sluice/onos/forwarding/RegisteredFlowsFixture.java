// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.hello;
import static org.sluice.onos.testing.Waiting.until;

import java.util.List;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.api.deadline.DeadlineRequest;
import org.sluice.api.deadline.FlowDecision;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.link.FlowReport;
import org.sluice.api.link.FlowUpdate;
import org.sluice.api.link.UplinkMessage;
import org.sluice.onos.testing.OnosWorld;
import org.sluice.onos.testing.SluiceNode;

/**
 * The application over ONOS's real managers: two switches with 50 Mbit/s between them, host h1 at
 * the one and h5 at the other.
 */
final class RegisteredFlowsFixture implements AutoCloseable {
  private static final PortId BOTTLENECK = PortId.parse("of:0000000000000001/5");
  private static final HostId H1 = HostId.of("h1");
  private static final long BITS_PER_SECOND = 50_000_000;
  private static final long MILLI = 1_000_000;

  final OnosWorld world = new OnosWorld();
  final SluiceNode node = new SluiceNode(world);

  RegisteredFlowsFixture() {
    world.switches.connect("s1", 1, 2, 5);
    world.switches.connect("s2", 1, 2, 5);
    world.switches.link("s1/5", "s2/5");
    node.configuration.setCapacity(BOTTLENECK, BITS_PER_SECOND);
    node.start();
    until(() -> assertThat(node.topology.interSwitchPorts()).hasSize(2));
    until(() -> assertThat(node.forwarding.own()).isTrue());
    host("h1", 1, "s1/1");
    host("h5", 5, "s2/1");
    until(
        () ->
            assertThat(node.attachments.all())
                .containsKeys(IpAddress.parse("10.0.0.1"), IpAddress.parse("10.0.0.5")));
  }

  private void host(String name, int number, String port) {
    String mac = "02:00:00:00:01:0" + number;
    String ip = "10.0.0." + number;
    world.hosts.seen(mac, port, ip);
    node.link.connect(hello(name, endpoint(name + "/vm0", mac, ip)));
  }

  /** A flow of h1 to h5, at port 5001 there. */
  static FlowKey flow(int sourcePort) {
    return FlowKey.of(IpAddress.parse("10.0.0.1"), sourcePort, IpAddress.parse("10.0.0.5"), 5001);
  }

  FlowDecision register(FlowKey key, long bytes, long dueMillis) throws SluiceException {
    return node.flows().register(DeadlineRequest.of(key, bytes, dueMillis * MILLI, false));
  }

  /** The host of the flow's source reports. */
  void report(FlowKey flow, FlowUpdate.State state, long deliveredBytes) {
    FlowUpdate update = FlowUpdate.of(flow, state, deliveredBytes, 400_000, false);
    node.link.report(
        UplinkMessage.ofFlowReport(FlowReport.of(H1, System.nanoTime(), false, List.of(update))));
  }

  FlowStatus status(long id) {
    try {
      return node.flows().flow(id).orElseThrow();
    } catch (SluiceException e) {
      throw new AssertionError(e);
    }
  }

  void awaitState(long id, FlowState state) {
    until(() -> assertThat(status(id).state()).isEqualTo(state));
  }

  @Override
  public void close() {
    node.stop();
    world.close();
  }
}
