// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.sluice.core.testing.Samples.datapath;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.hello;
import static org.sluice.core.testing.Samples.port;
import static org.sluice.onos.testing.Waiting.until;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.sluice.api.HostId;
import org.sluice.api.IpPrefix;
import org.sluice.api.SluiceException;
import org.sluice.api.counters.PortSample;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.policy.GroupHint;
import org.sluice.api.policy.Limits;
import org.sluice.api.policy.Policy;
import org.sluice.api.policy.PolicyPresets;
import org.sluice.api.policy.PolicyPreview;
import org.sluice.api.policy.PolicyRevision;
import org.sluice.api.policy.PolicyService;
import org.sluice.api.policy.PolicySet;
import org.sluice.api.policy.PrefixHint;
import org.sluice.api.policy.TcpHint;
import org.sluice.json.PolicyJson;
import org.sluice.onos.testing.OnosWorld;
import org.sluice.onos.testing.SluiceNode;

/** Policies over ONOS's real managers: its store, its topology, its ports. */
@Timeout(120)
class PoliciesOnOnosTest {
  private static final HostId H1 = HostId.of("h1");
  private static final long SECOND = 1_000_000_000L;
  private static final List<String> PORTS = List.of("s1/1", "s1/5", "s2/1", "s2/5");

  private final OnosWorld world = new OnosWorld();
  private SluiceNode node = new SluiceNode(world);

  @BeforeEach
  void start() {
    world.switches.connect("s1", 1, 5);
    world.switches.connect("s2", 1, 5);
    world.switches.link("s1/5", "s2/5");
    node.start();
    until(() -> assertThat(node.topology.interSwitchPorts()).hasSize(2));
    host("h1", 1, "s1/1");
    host("h5", 5, "s2/1");
    until(
        () ->
            assertThat(tried().decisions())
                .as("both edge switches, and the way between them")
                .hasSize(4));
  }

  @AfterEach
  void close() {
    node.stop();
    world.close();
  }

  private void host(String name, int number, String at) {
    String mac = "02:00:00:00:01:0" + number;
    String ip = "10.0.0." + number;
    world.hosts.seen(mac, at, ip);
    node.link.connect(hello(name, endpoint(name + "/vm0", mac, ip)));
  }

  private PolicyService policies() {
    return node.service(PolicyService.class);
  }

  private PolicyPreview tried() {
    try {
      return policies().dryRun(pairs());
    } catch (SluiceException e) {
      throw new AssertionError(e);
    }
  }

  private PolicyPreview state() {
    try {
      return policies().state().orElseThrow(() -> new AssertionError("nothing is in force"));
    } catch (SluiceException e) {
      throw new AssertionError(e);
    }
  }

  private static PolicySet pairs() throws SluiceException {
    return PolicySet.builder("pairs")
        .cycleNanos(SECOND)
        .policies(
            List.of(
                Policy.builder("fast")
                    .scope(Policy.Scope.PAIRS)
                    .links(Policy.Links.PATH)
                    .enterBelow(Limits.of(0.5, 0.001))
                    .leaveAt(Limits.of(0.5, 0.001))
                    .hint(TcpHint.builder().initialWindowSegments(20).build())
                    .build()))
        .build();
  }

  /** Ports are read, all but one with little load. */
  private void read(String full) {
    for (String each : PORTS) {
      node.counters.read(
          PortSample.builder(port(each))
              .txBytes(each.equals(full) ? 100_000_000 : 1_000_000)
              .txPackets(1000)
              .txDroppedPackets(0)
              .intervalNanos(SECOND)
              .build());
    }
  }

  @Test
  void hintsFollowPortsAndPathsOfOnos() throws Exception {
    policies().apply(pairs(), "onos");
    until(
        () -> {
          read("s1/5");
          assertThat(state().hints())
              .extracting(GroupHint::source, GroupHint::destination)
              .as("all but from s1 to s2")
              .containsExactly(
                  tuple(datapath("s1"), datapath("s1")),
                  tuple(datapath("s2"), datapath("s1")),
                  tuple(datapath("s2"), datapath("s2")));
        });
    List<PrefixHint> sent =
        node.link.sentTo(H1, DownlinkMessage.Kind.TCP_HINTS, DownlinkMessage::tcpHints).stream()
            .reduce((earlier, later) -> later)
            .orElseThrow()
            .hints();
    assertThat(sent)
        .extracting(PrefixHint::destinations)
        .containsExactly(List.of(IpPrefix.parse("10.0.0.1")));
  }

  @Test
  void storedPoliciesSurviveARestart() throws Exception {
    PolicySet mine = PolicyJson.read(PolicyJson.write(PolicyPresets.openTcp1()), "");
    policies().apply(mine, "onos");
    policies().apply(pairs(), "karaf");
    PolicyRevision back = policies().rollBack(1, "onos");
    List<PolicyRevision> before = policies().history();
    assertThat(before).hasSize(3);
    node.stop();

    node = new SluiceNode(world).start();

    assertThat(policies().history()).isEqualTo(before);
    assertThat(policies().current()).contains(back);
    assertThat(policies().rollBack(0, "onos").number()).isEqualTo(4);
  }
}
