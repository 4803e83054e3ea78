// SPDX-License-Identifier: Apache-2.0
package org.sluice.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.sluice.api.Expectation;
import org.sluice.api.SluiceException;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.link.DownlinkMessage.Kind;
import org.sluice.core.setting.Topics;

/** Three nodes, whatever of them is cut off from the others, and for how long. */
class PartitionPropertiesTest {
  private static final List<String> NAMES = List.of("n1", "n2", "n3");

  /** 360 MB in 600 s are 4.8 Mbit/s: 9 fit into the 47.5 of 50 that are promised, 10 do not. */
  private static final long FLOW_BYTES = 360_000_000;

  private static final long DUE_MILLIS = 600_000;
  private static final int MOST_PROMISED = 9;

  /** Less than a session, about one, and more. */
  private static final List<Long> PAUSES = List.of(10L, 2_000L, 5_000L, 9_000L);

  private enum Kinds {
    CUT,
    HEAL,
    STOP_STORE,
    PUT,
    REGISTER,
    REMOVE
  }

  /** What is done by way of a node, and how long nothing happens afterwards. */
  private static final class Step {
    final Kinds kind;
    final String node;
    final long pauseMillis;

    Step(Kinds kind, String node, long pauseMillis) {
      this.kind = kind;
      this.node = node;
      this.pauseMillis = pauseMillis;
    }

    @Override
    public String toString() {
      return kind + " " + node + ", " + pauseMillis + " ms";
    }
  }

  @Provide
  Arbitrary<Step> steps() {
    return Combinators.combine(
            Arbitraries.of(Kinds.class), Arbitraries.of(NAMES), Arbitraries.of(PAUSES))
        .as(Step::new);
  }

  /** What was acknowledged, and so must not be lost. */
  private static final class Acknowledged {
    final ClusteredNetwork it =
        new ClusteredNetwork("controlPeriodMillis", 50).start("n1", "n2", "n3");
    final Set<String> cut = new HashSet<>();
    final Set<Long> flows = new HashSet<>();
    double weight = 1;
    double nextWeight = 2;
    int nextPort = 1;
    boolean isStoreStopped;

    void take(Step step) throws SluiceException {
      switch (step.kind) {
        case CUT:
          cut.add(step.node);
          it.cluster.cut(step.node);
          break;
        case HEAL:
          cut.remove(step.node);
          it.cluster.heal(step.node);
          break;
        case STOP_STORE:
          isStoreStopped = !isStoreStopped;
          it.network.storage.setAvailable(!isStoreStopped);
          break;
        default:
          write(step);
      }
      it.pass(step.pauseMillis);
    }

    private void write(Step step) throws SluiceException {
      if (cut.contains(step.node) || isStoreStopped) {
        refused(() -> change(step));
      } else {
        change(step);
      }
    }

    private static void refused(ThrowingCallable call) {
      assertThatThrownBy(call)
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.kind()).isEqualTo(SluiceException.Kind.UNAVAILABLE));
    }

    private void change(Step step) throws SluiceException {
      if (step.kind == Kinds.PUT) {
        it.tryToPut(step.node, nextWeight);
        weight = nextWeight++;
      } else if (step.kind == Kinds.REGISTER) {
        Optional<FlowStatus> made =
            it.register(step.node, nextPort++, FLOW_BYTES, DUE_MILLIS).flow();
        made.ifPresent(flow -> flows.add(flow.id()));
      } else {
        Optional<Long> any =
            it.flows(step.node).keySet().stream().filter(flows::contains).findAny();
        if (any.isEmpty()) {
          it.tryToPut(step.node, weight);
        } else {
          it.nodes.get(step.node).controller().flows().remove(any.get(), Expectation.none());
          flows.remove(any.get());
        }
      }
    }

    void healAll() {
      it.network.storage.setAvailable(true);
      NAMES.forEach(it.cluster::heal);
      it.pass(12_000);
    }
  }

  @Property(tries = 20, shrinking = ShrinkingMode.BOUNDED)
  void allNodesAgreeOnWhatWasAcknowledged(
      @ForAll @Size(min = 3, max = 12) List<@From("steps") Step> steps,
      @ForAll boolean keepLeaders,
      @ForAll @IntRange(max = 20) int delayMillis)
      throws Exception {
    Acknowledged state = new Acknowledged();
    ClusteredNetwork it = state.it;
    it.cluster.setDelayMillis(delayMillis);
    if (keepLeaders) {
      it.cluster.keepLeadersThatAreCutOff();
    }
    for (Step step : steps) {
      state.take(step);
    }
    state.healAll();

    for (String node : NAMES) {
      assertThat(it.weight(node)).as("tenant at %s", node).isEqualTo(state.weight);
      Map<Long, FlowStatus> flows = it.flows(node);
      assertThat(flows.keySet()).as("flows at %s", node).isEqualTo(state.flows);
      assertThat(flows.values()).allMatch(FlowStatus::promised);
      assertThat(flows).hasSizeLessThanOrEqualTo(MOST_PROMISED);
    }
    assertThat(it.stale).isEmpty();
    assertThat(it.senderOf(Kind.PROFILES))
        .isEqualTo(it.network.leaderOf(Topics.CLUSTER).orElseThrow());
  }
}
