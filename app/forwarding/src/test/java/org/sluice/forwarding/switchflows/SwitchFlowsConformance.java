// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.switchflows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.forwarding.switchflows.RegisteredFlows.flow;

import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.sluice.api.JournalEntry;
import org.sluice.api.deadline.DeadlineSummary;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.link.FlowUpdate;
import org.sluice.forwarding.frame.EthernetFrame;
import org.sluice.forwarding.frame.Frames;
import org.sluice.forwarding.frame.Segment;
import org.sluice.forwarding.testing.NodeUnderTest;

/** {@code flows = switch} over a platform: rules, packet-ins, beginnings and ends. */
@Timeout(120)
public abstract class SwitchFlowsConformance {
  private static final int FIN = 1;
  private static final int SYN = 2;
  private static final int RST = 4;
  private static final int ACK = 16;
  private static final int COPY = 30_000;
  private static final String RULE =
      "0/30000 in_port=1, ipv4, ip_proto=6, ip_ecn=1, src=10.0.0.1, dst=10.0.0.5%s, tcp_dst=5001"
          + " -> controller, goto:1";

  private final RegisteredFlows world;
  private boolean closed;

  protected SwitchFlowsConformance(NodeUnderTest node) {
    world = new RegisteredFlows(node);
  }

  @BeforeEach
  void requestFlows() {
    world.node.set("flows", "switch");
  }

  @AfterEach
  void close() {
    if (!closed) {
      world.node.stop();
    }
    world.fabric.close();
  }

  private FlowStatus register(int sourcePort, long bytes) throws Exception {
    FlowStatus made = world.register(flow(sourcePort), bytes, 20_000).flow().orElseThrow();
    world.fabric.until(() -> assertThat(rules("s1")).hasSize(1));
    return made;
  }

  private FlowStatus begin(int sourcePort, long bytes) throws Exception {
    FlowStatus made = register(sourcePort, bytes);
    leaves(sourcePort, SYN);
    world.awaitState(made.id(), FlowState.SENDING);
    return made;
  }

  private List<String> rules(String name) {
    return world.fabric.tables().rules(name).stream()
        .filter(rule -> rule.startsWith("0/" + COPY))
        .collect(Collectors.toList());
  }

  /** Of two changes of a rule at once the switch may do the first one last, until it is polled. */
  private void awaitNoRules() {
    world.fabric.until(
        () -> {
          world.fabric.tables().poll();
          assertThat(rules("s1")).isEmpty();
        });
  }

  private void leaves(int sourcePort, int flags) {
    world.fabric.receive(
        "s1/1",
        Frames.segment("02:00:00:00:01:01", "10.0.0.1", sourcePort, "10.0.0.5", 5001, flags),
        COPY);
  }

  private DeadlineSummary summary() {
    try {
      return world.flows().deadlines();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private void awaitSeen(long beginnings, long ends) {
    world.fabric.until(
        () -> {
          DeadlineSummary now = summary();
          assertThat(List.of(now.beginningsSeen(), now.endsSeen()))
              .containsExactly(beginnings, ends);
        });
  }

  @Test
  void synBeginsTheFlowAndHostReportsCompleteIt() throws Exception {
    FlowStatus made = register(0, 400_000);
    assertThat(rules("s1")).containsExactly(String.format(RULE, ""));
    assertThat(rules("s2")).isEmpty();

    leaves(40_000, SYN);
    world.awaitState(made.id(), FlowState.SENDING);
    leaves(40_000, SYN);
    world.report(flow(40_000), FlowUpdate.State.OPENED, 0);
    world.report(flow(40_000), FlowUpdate.State.ESTABLISHED, 100_000);
    world.fabric.until(
        () -> assertThat(world.status(made.id()).remainingBytes()).isEqualTo(300_000));

    leaves(40_000, FIN | ACK);
    awaitSeen(1, 1);
    assertThat(world.status(made.id()).state()).isEqualTo(FlowState.SENDING);
    world.report(flow(40_000), FlowUpdate.State.CLOSED, 400_000);
    world.awaitState(made.id(), FlowState.MET);
    assertThat(world.fabric.emittedAt("s2/1")) // The switch itself forwards them.
        .noneMatch(SwitchFlowsConformance::isTcp);
    awaitNoRules();
  }

  private static boolean isTcp(byte[] frame) {
    return EthernetFrame.parse(frame).flatMap(Segment::parse).isPresent();
  }

  @Test
  void hostReportsOfTheBeginAreIgnored() throws Exception {
    FlowStatus made = register(40_000, 400_000);
    assertThat(rules("s1")).containsExactly(String.format(RULE, ", tcp_src=40000"));
    world.report(flow(40_000), FlowUpdate.State.OPENED, 0);
    world.report(flow(40_000), FlowUpdate.State.ESTABLISHED, 0);
    summary(); // Queried after these were reported, and answered after them.
    assertThat(world.status(made.id()).state()).isEqualTo(FlowState.WAITING);
    leaves(40_000, SYN | ACK);
    world.awaitState(made.id(), FlowState.SENDING);
  }

  @Test
  void firstBytesBeginAFlowThatNoSwitchReported() throws Exception {
    FlowStatus made = register(40_000, 400_000);
    world.report(flow(40_000), FlowUpdate.State.ESTABLISHED, 1_000);
    world.awaitState(made.id(), FlowState.SENDING);
    leaves(40_000, SYN); // Late, and of the same connection.
    awaitSeen(1, 0);
    assertThat(world.status(made.id()).remainingBytes()).isEqualTo(399_000);
    assertThat(world.status(made.id()).state()).isEqualTo(FlowState.SENDING);
  }

  @Test
  void endReportedByTheSwitchAloneCountsOnceProgressStops() throws Exception {
    FlowStatus made = begin(40_000, 400_000);
    leaves(40_000, RST);
    world.awaitState(made.id(), FlowState.CLOSED_EARLY);
    awaitSeen(1, 1);
  }

  @Test
  void endReportedByTheHostAloneCountsOnceProgressStops() throws Exception {
    FlowStatus made = begin(40_000, 400_000);
    world.report(flow(40_000), FlowUpdate.State.CLOSED, 1_000);
    world.awaitState(made.id(), FlowState.CLOSED_EARLY);
    awaitSeen(1, 0);
  }

  @Test
  void missingHostReportsEndNothing() throws Exception {
    FlowStatus made = begin(40_000, 400_000);
    world.reportNone();
    summary();
    assertThat(world.status(made.id()).state()).isEqualTo(FlowState.SENDING);
  }

  @Test
  void nextConnectionWithTheSamePortsIsSeparate() throws Exception {
    FlowStatus first = begin(40_000, 400_000);
    leaves(40_000, FIN | ACK);
    leaves(40_000, SYN);
    world.awaitState(first.id(), FlowState.CLOSED_EARLY);
    awaitSeen(2, 1);
  }

  @Test
  void rulesAreRemovedWithRegistrationSettingOrApplication() throws Exception {
    FlowStatus made = register(40_000, 400_000);
    world.flows().remove(made.id());
    awaitNoRules();

    register(40_001, 400_000);
    world.node.set("flows", "host");
    awaitNoRules();
    world.report(flow(40_001), FlowUpdate.State.OPENED, 0);
    world.fabric.until(() -> assertThat(summary().counts().toString()).contains("SENDING=1"));

    world.node.set("flows", "switch");
    world.fabric.until(() -> assertThat(rules("s1")).hasSize(1));
    world.node.set("forwarding", "other");
    world.fabric.until(() -> assertThat(world.fabric.tables().rules("s1")).isEmpty());
    world.node.set("forwarding", "own");
    world.fabric.until(() -> assertThat(rules("s1")).hasSize(1));

    closed = true;
    world.node.deactivate();
    world.fabric.until(() -> assertThat(world.fabric.tables().rules("s1")).isEmpty());
    assertThat(world.fabric.isListening()).isFalse();
  }

  @Test
  void lostRuleIsReinstalled() throws Exception {
    register(40_000, 400_000);
    world.fabric.disconnect("s1");
    world.fabric.tables().forget("s1");
    world.fabric.connect("s1");
    world.fabric.until(() -> assertThat(rules("s1")).hasSize(1));
  }

  @Test
  void ruleFollowsItsSource() throws Exception {
    register(40_000, 400_000);
    world.fabric.seen("02:00:00:00:01:01", "s2/7", "10.0.0.1");
    world.fabric.until(() -> assertThat(world.fabric.emittedAt("s2/7")).isNotEmpty());
    byte[] probe = world.fabric.emittedAt("s2/7").get(0);
    world.fabric.receive("s2/7", Frames.answer("02:00:00:00:01:01", "10.0.0.1", probe));
    world.fabric.until(
        () -> {
          assertThat(rules("s1")).isEmpty();
          assertThat(rules("s2")).hasSize(1).allMatch(rule -> rule.contains("in_port=7,"));
        });
  }

  @Test
  void reportsOfASourceWithTooManyConnectionsAreSuspended() throws Exception {
    register(0, 400_000); // However long the machine takes, it is one moment.
    for (int i = 0; i <= Allowance.BURST && !rules("s1").isEmpty(); i++) {
      try {
        leaves(1024 + i, SYN);
      } catch (NoSuchElementException e) {
        break; // The rule has gone.
      }
    }
    awaitNoRules();
    assertThat(world.node.journal().entries(0, Optional.empty(), 50))
        .anyMatch(
            entry ->
                entry.kind() == JournalEntry.Kind.REFUSED
                    && entry.decision().contains("of:0000000000000001/1"));
  }
}
