// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.opentcp;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.sluice.api.HostId;
import org.sluice.api.counters.PortSample;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.PairSample;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.policy.PolicyFinding;
import org.sluice.api.policy.PolicyPreview;
import org.sluice.api.policy.PolicySet;
import org.sluice.core.registry.Capacities;
import org.sluice.engine.opentcp.Oracle;

/**
 * Drives the engine's oracle: collects what links carry and who sends to whom, and has policies
 * evaluated every T, while this node has an {@link Assignment}. Engine thread only, but for what it
 * shows.
 */
final class OracleLoop {
  /** How often counters are evaluated while no policies are evaluated here: for dry runs. */
  static final long IDLE_CYCLE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** How long a period of the traffic matrix is at least. */
  static final long MATRIX_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** Most targets whose decisions are compared and written into the journal one by one. */
  private static final int MOST_JOURNALED_TARGETS = 10_000;

  private static final long NEVER = Long.MIN_VALUE;

  private final LinkCounters counters = new LinkCounters();
  private final Capacities capacities;
  private final HintOutbox outbox;
  private final PolicyJournal journal;

  private Assignment assignment;
  private Oracle oracle;

  private long cycleNanos = IDLE_CYCLE_NANOS;
  private long nextCycleNanos = NEVER;
  private long nextMatrixNanos = NEVER;
  private long journaledChanges;
  private volatile Optional<PolicyFinding> fault = Optional.empty();

  OracleLoop(Capacities capacities, HintOutbox outbox, PolicyJournal journal) {
    this.capacities = capacities;
    this.outbox = outbox;
    this.journal = journal;
  }

  // ------------------------------------------------------------ what is reported

  /** A switch has read a port's counters. */
  void counted(PortSample sample) {
    counters.add(sample);
  }

  /** A port agent has seen its queues. */
  void queued(PortQueueObservation observation) {
    counters.add(observation);
  }

  /** A host has sent, by pairs. */
  void sent(HostObservation observation) {
    if (oracle == null) {
      return;
    }
    int source = assignment.network.groupOf(observation.host());
    if (source == PolicyNetwork.NO_GROUP) {
      return;
    }
    for (PairSample pair : observation.pairs()) {
      if (pair.sentBytes() > 0) {
        int destination = assignment.network.groupOf(pair.destination());
        if (destination != PolicyNetwork.NO_GROUP) {
          oracle.matrix().add(source, destination, pair.sentBytes());
        }
      }
    }
  }

  // ------------------------------------------------------------ what is to be evaluated

  /**
   * This node evaluates these policies from here on. Other policies, or another topology, begin
   * without hints.
   */
  void assign(Assignment now, long nowNanos) {
    boolean isSameOracle =
        oracle != null
            && assignment.term == now.term
            && assignment.revision == now.revision
            && assignment.network.isSameTopology(now.network);
    if (!isSameOracle) {
      begin(now, nowNanos);
    }
    assignment = now;
    outbox.address(now.network, now.sessions, now.term);
    outbox.flush(nowNanos);
  }

  private void begin(Assignment now, long nowNanos) {
    if (oracle != null) {
      recordEnd(
          assignment.revision == now.revision && assignment.term == now.term
              ? "links, capacities or groups have changed"
              : "other policies are in force");
      oracle.withdraw();
      outbox.flush(nowNanos);
    }
    counters.restartCycle();
    oracle = new Oracle(now.network.topology(), outbox);
    counters.seed(oracle.readings(), now.network.links());
    outbox.begin(now.network);
    journal.begin();
    journaledChanges = 0;
    fault = oracle.excess(now.set);
    if (fault.isEmpty()) {
      oracle.apply(now.set);
    } else {
      journal.note("Policies " + now.set.name() + " cannot be evaluated", fault.get().message());
    }
    cycleNanos = now.set.cycleNanos();
    nextCycleNanos = nowNanos + cycleNanos;
    nextMatrixNanos = NEVER;
  }

  /** This node evaluates nothing from here on: its hints end. */
  void unassign(long nowNanos) {
    if (oracle != null) {
      recordEnd("no policies are evaluated here any longer");
      outbox.end();
      oracle = null;
      assignment = null;
      cycleNanos = IDLE_CYCLE_NANOS;
      nextCycleNanos = nowNanos + cycleNanos;
    }
    fault = Optional.empty();
  }

  // ------------------------------------------------------------ cycles

  void step(long nowNanos) {
    if (nextCycleNanos == NEVER) {
      nextCycleNanos = nowNanos + cycleNanos;
    }
    if (nowNanos - nextCycleNanos < 0) {
      return;
    }
    nextCycleNanos += cycleNanos;
    if (nowNanos - nextCycleNanos >= 0) {
      nextCycleNanos = nowNanos + cycleNanos;
    }
    collect();
    if (oracle != null) {
      rollMatrix(nowNanos);
      oracle.cycle();
      record();
      outbox.flush(nowNanos);
    }
  }

  private void collect() {
    counters.retain(capacities.all().keySet());
    counters.endCycle();
    if (oracle != null) {
      counters.feed(oracle.readings(), assignment.network.links());
    }
  }

  private void rollMatrix(long nowNanos) {
    if (nextMatrixNanos == NEVER || nowNanos - nextMatrixNanos >= 0) {
      nextMatrixNanos = nowNanos + Math.max(MATRIX_NANOS, cycleNanos);
      oracle.matrix().roll();
    }
  }

  private void record() {
    if (oracle.changes() == journaledChanges) {
      return;
    }
    long changes = oracle.changes() - journaledChanges;
    journaledChanges = oracle.changes();
    int hosts = hintedHosts();
    if (oracle.targets() > MOST_JOURNALED_TARGETS) {
      journal.note(changes + " hints for groups or pairs begin, change or end", hosts + " hosts");
    } else {
      journal.decided(oracle.state().decisions(), hosts);
    }
  }

  private void recordEnd(String reason) {
    int hosts = hintedHosts();
    if (hosts > 0) {
      journal.note("Hints of " + hosts + " hosts end", reason);
    }
  }

  private int hintedHosts() {
    int hosts = 0;
    for (int group = 0; group < assignment.network.groups().size(); group++) {
      if (outbox.hasHints(group)) {
        hosts += assignment.network.hosts(group).size();
      }
    }
    return hosts;
  }

  // ------------------------------------------------------------ what others read

  /** What the set in force came to; empty: none is evaluated here. */
  Optional<PolicyPreview> state() {
    return oracle == null ? Optional.empty() : Optional.of(oracle.state());
  }

  /**
   * What a set would do now.
   *
   * @param network as it is for this set
   * @throws IllegalArgumentException if it is too large for the network
   */
  PolicyPreview dryRun(PolicySet set, PolicyNetwork network) {
    if (oracle != null && assignment.network.isSameTopology(network)) {
      return oracle.dryRun(set);
    }
    Oracle tried = new Oracle(network.topology(), (source, destination, hint) -> {});
    counters.seed(tried.readings(), network.links());
    return tried.dryRun(set);
  }

  /** How far apart a link's readings are at most, of those that were read, ns. */
  long longestIntervalNanos(PolicyNetwork network) {
    return counters.longestIntervalNanos(network.links());
  }

  /** Why the set in force cannot be evaluated. From any thread. */
  Optional<PolicyFinding> fault() {
    return fault;
  }

  /** By host: what it was sent last. From any thread. */
  Map<HostId, SentHints> shownHints() {
    return outbox.shown();
  }
}
