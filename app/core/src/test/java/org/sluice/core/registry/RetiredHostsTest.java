// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.hello;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.EndpointId;
import org.sluice.api.Finding;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.SluiceException;
import org.sluice.api.link.HostEvent;
import org.sluice.api.link.UplinkMessage;
import org.sluice.core.testing.MemoryNetwork;
import org.sluice.core.testing.MemoryNode;

/** A host is taken out of service, in a cluster of two nodes. */
class RetiredHostsTest {
  private static final HostId H1 = HostId.of("h1");
  private static final IpAddress IP = IpAddress.parse("10.0.0.1");

  private final MemoryNetwork network = new MemoryNetwork().connect("s1", 1, 2);
  private final MemoryNode one = new MemoryNode(network, "n1");
  private final MemoryNode other = new MemoryNode(network, "n2");
  private final List<MemoryNode> nodes = List.of(one, other);

  @BeforeEach
  void start() {
    network.setMaster("s1", "n1");
    for (MemoryNode node : nodes) {
      node.start();
      connect(node);
    }
  }

  private static void connect(MemoryNode node) {
    node.link.connect(hello("h1", endpoint("h1/vm0", "02:00:00:00:01:01", "10.0.0.1")));
  }

  private void stopAgent() {
    for (MemoryNode node : nodes) {
      node.link.report(
          UplinkMessage.ofEvent(HostEvent.of(H1, HostEvent.Kind.LEAVING, "", List.of())));
      node.link.disconnect(H1);
    }
  }

  private static List<Finding> about(MemoryNode node) {
    return node.controller().doctor().examine().stream()
        .filter(finding -> finding.about().equals("host h1"))
        .collect(Collectors.toList());
  }

  @Test
  void hostAndItsEndpointsAreForgottenOnEveryNode() throws SluiceException {
    stopAgent();
    one.controller().hostAdmin().retire(H1, "olga");
    network.time.advanceMillis(6_000);

    for (MemoryNode node : nodes) {
      assertThat(node.controller().hosts().hosts()).isEmpty();
      assertThat(node.controller().endpoints().endpoints()).isEmpty();
      assertThat(about(node)).isEmpty();
    }
    assertThat(one.storage().map("sluice-claims").get("h1")).isEmpty();

    // Its address is another one's at once.
    for (MemoryNode node : nodes) {
      node.link.connect(hello("h2", endpoint("h2/vm0", "02:00:00:00:02:01", "10.0.0.1")));
    }
    network.time.advanceMillis(6_000);
    assertThat(one.controller().endpoints().endpoint(IP))
        .hasValueSatisfying(it -> assertThat(it.id()).isEqualTo(EndpointId.parse("h2/vm0")));
  }

  @Test
  void hostWhoseAgentConnectsAgainIsBack() throws SluiceException {
    stopAgent();
    one.controller().hostAdmin().retire(H1, "olga");
    connect(other);
    network.time.advanceMillis(6_000);
    connect(one);
    one.link.disconnect(H1);
    network.time.advanceMillis(6_000);
    assertThat(one.controller().hosts().host(H1)).as("lost, not retired").isPresent();
    assertThat(other.controller().endpoints().endpoint(IP)).isPresent();
  }

  @Test
  void onlyHostsWhoseAgentsAreStoppedAreRetired() {
    SluiceException connected =
        catchThrowableOfType(
            SluiceException.class, () -> one.controller().hostAdmin().retire(H1, ""));
    assertThat(connected.kind()).isEqualTo(SluiceException.Kind.CONFLICT);
    assertThat(connected.remedy()).contains("systemctl disable --now sluice-agent");
    SluiceException unknown =
        catchThrowableOfType(
            SluiceException.class, () -> one.controller().hostAdmin().retire(HostId.of("h9"), ""));
    assertThat(unknown.kind()).isEqualTo(SluiceException.Kind.NOT_FOUND);
  }

  @Test
  void hostThatWasStoppedIsNoFault() {
    stopAgent();
    assertThat(about(one)).extracting(Finding::severity).containsExactly(Finding.Severity.WARNING);
    assertThat(about(one).get(0).what()).startsWith("Its agent was stopped 0 s ago");
    assertThat(about(one).get(0).remedy())
        .startsWith("If it is out of service: sluice-host-retire h1");
    connect(one);
    one.link.disconnect(H1);
    assertThat(about(one)).extracting(Finding::severity).containsExactly(Finding.Severity.ERROR);
  }
}
