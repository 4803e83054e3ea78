// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.onos.forwarding.RegisteredFlowsFixture.flow;
import static org.sluice.onos.testing.Waiting.until;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.onlab.packet.Ethernet;
import org.onlab.packet.IPv4;
import org.onlab.packet.TCP;
import org.sluice.api.deadline.DeadlineSummary;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.link.FlowUpdate;
import org.sluice.onos.testing.Frames;

/** {@code flows = switch} over ONOS's real managers: rules, packet-ins, beginnings and ends. */
@Timeout(120)
class SwitchFlowsOnOnosTest {
  private static final int FIN = 1;
  private static final int SYN = 2;
  private static final int ACK = 16;
  private static final int COPY = 30_000;

  private RegisteredFlowsFixture world = new RegisteredFlowsFixture();
  private boolean closed;

  @BeforeEach
  void requestFlows() {
    world.node.set("flows", "switch");
  }

  @AfterEach
  void close() {
    if (closed) {
      world.world.close();
    } else {
      world.close();
    }
  }

  private FlowStatus register(int sourcePort, long bytes) throws Exception {
    FlowStatus made = world.register(flow(sourcePort), bytes, 20_000).flow().orElseThrow();
    until(() -> assertThat(rules("s1")).hasSize(1));
    return made;
  }

  private List<String> rules(String name) {
    return world.world.switches.rules(name).stream()
        .filter(rule -> rule.startsWith("0/" + COPY))
        .collect(Collectors.toList());
  }

  /** Of two changes of a rule at once the switch may do the first one last, until it is polled. */
  private void awaitNoRules() {
    until(
        () -> {
          world.world.switches.poll();
          assertThat(rules("s1")).isEmpty();
        });
  }

  private void leaves(int sourcePort, int flags) {
    world.world.switches.receive(
        "s1/1",
        Frames.segment("02:00:00:00:01:01", "10.0.0.1", sourcePort, "10.0.0.5", 5001, flags),
        COPY);
  }

  private DeadlineSummary summary() {
    try {
      return world.node.flows().deadlines();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private void awaitSeen(long beginnings, long ends) {
    until(
        () -> {
          DeadlineSummary now = summary();
          assertThat(List.of(now.beginningsSeen(), now.endsSeen()))
              .containsExactly(beginnings, ends);
        });
  }

  @Test
  void synBeginsTheFlowAndHostReportsCompleteIt() throws Exception {
    FlowStatus made = register(0, 400_000);
    assertThat(rules("s1"))
        .containsExactly(
            "0/30000 ETH_TYPE:ipv4, IN_PORT:1, IPV4_DST:10.0.0.5/32, IPV4_SRC:10.0.0.1/32, IP_ECN:1,"
                + " IP_PROTO:6, TCP_DST:5001 -> OUTPUT:CONTROLLER, TABLE:1");
    assertThat(rules("s2")).isEmpty();

    leaves(40_000, SYN);
    world.awaitState(made.id(), FlowState.SENDING);
    leaves(40_000, SYN);
    world.report(flow(40_000), FlowUpdate.State.OPENED, 0);
    world.report(flow(40_000), FlowUpdate.State.ESTABLISHED, 100_000);
    until(() -> assertThat(world.status(made.id()).remainingBytes()).isEqualTo(300_000));

    leaves(40_000, FIN | ACK);
    awaitSeen(1, 1);
    assertThat(world.status(made.id()).state()).isEqualTo(FlowState.SENDING);
    world.report(flow(40_000), FlowUpdate.State.CLOSED, 400_000);
    world.awaitState(made.id(), FlowState.MET);
    assertThat(world.world.switches.emittedAt("s2/1")) // The switch itself forwards them.
        .noneMatch(SwitchFlowsOnOnosTest::isTcp);
    awaitNoRules();
  }

  private static boolean isTcp(Ethernet frame) {
    return frame.getPayload() instanceof IPv4 && frame.getPayload().getPayload() instanceof TCP;
  }

  @Test
  void rulesAreRemovedWithRegistrationSettingOrApplication() throws Exception {
    FlowStatus made = register(40_000, 400_000);
    world.node.flows().remove(made.id());
    awaitNoRules();

    register(40_001, 400_000);
    world.node.set("flows", "host");
    awaitNoRules();
    world.report(flow(40_001), FlowUpdate.State.OPENED, 0);
    until(() -> assertThat(summary().counts().toString()).contains("SENDING=1"));

    world.node.set("flows", "switch");
    until(() -> assertThat(rules("s1")).hasSize(1));
    world.node.set("forwarding", "other");
    until(() -> assertThat(world.world.switches.rules("s1")).isEmpty());
    world.node.set("forwarding", "own");
    until(() -> assertThat(rules("s1")).hasSize(1));

    closed = true;
    world.node.deactivate();
    until(() -> assertThat(world.world.switches.rules("s1")).isEmpty());
    assertThat(world.world.packets.getProcessors()).isEmpty();
    assertThat(world.world.packets.getRequests()).isEmpty();
  }
}
