// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.cluster;

import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.cluster.ClusterService;
import org.sluice.api.cluster.ClusterStatus;
import org.sluice.api.cluster.NodeStatus;
import org.sluice.api.cluster.NodeStatus.State;
import org.sluice.core.runtime.CoalescedTask;
import org.sluice.core.runtime.Execution;
import org.sluice.core.setting.SettingListener;
import org.sluice.core.setting.Settings;
import org.sluice.core.setting.Topics;
import org.sluice.core.setting.WithdrawStage;
import org.sluice.core.spi.ClusterNodes;
import org.sluice.core.spi.Leadership;
import org.sluice.core.spi.Mastership;
import org.sluice.core.spi.Platform;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.spi.ReplicatedMap.Versioned;
import org.sluice.core.spi.StorageUnavailableException;
import org.sluice.core.spi.Switches;

/**
 * What each node of a cluster reports of itself to the others, every few seconds by way of the
 * cluster's store: that it is there, its version, whether it leads, how its clock is, and whether
 * its REST can be had. It runs for leadership of {@value Topics#CLUSTER}, but not before it knows
 * the cluster's time, which it would else replace by its own, nor while its clock differs from most
 * nodes' by more than a second.
 */
public final class NodeReports implements ClusterService, SettingListener {
  private static final Logger log = LoggerFactory.getLogger(NodeReports.class);
  private static final String STORE = "sluice-nodes";
  static final long PERIOD_SECONDS = 5;

  /** After three reports that did not come. */
  private static final long SILENT_NANOS = SECONDS.toNanos(3 * PERIOD_SECONDS + 1);

  /** Of two nodes nobody knows whose clock is off. */
  private static final int LEAST_CLOCKS = 3;

  private static final long MOST_OFF_MICROS = SECONDS.toMicros(1);

  private final Settings settings;
  private final Platform platform;
  private final ClusterNodes nodes;
  private final Switches switches;
  private final Mastership mastership;
  private final Leadership leadership;
  private final ReplicatedMap store;
  private final Execution execution;
  private final Supplier<String> storeFault;
  private final ClusterClock clock;
  private final ReplicatedMap.Listener listener = this::changed;
  private final Runnable runSoon =
      new CoalescedTask(command -> this.executor.execute(command), this::runForLeadership);
  private final Map<String, Report> received = new ConcurrentHashMap<>();
  private ScheduledExecutorService executor;
  private volatile boolean withdrawn;
  private long startedNanos;

  // Executor thread only:
  private long number;
  private boolean isCandidate;

  /** What a node has reported last, and when it came. */
  private static final class Report {
    final long receivedNanos;
    final boolean leads;
    final long aheadMicros;
    final String version;
    final String webFault;

    Report(long receivedNanos, String text) {
      String[] words = text.split(" ", 5);
      this.receivedNanos = receivedNanos;
      leads = Boolean.parseBoolean(words[1]);
      aheadMicros = Long.parseLong(words[2]);
      version = words[3];
      webFault = words[4];
    }
  }

  /**
   * One that reports nothing yet.
   *
   * @param storeFault why the store does not answer; empty: it does
   */
  public NodeReports(
      Settings settings,
      Platform platform,
      Execution execution,
      Supplier<String> storeFault,
      ClusterClock clock) {
    this.settings = settings;
    this.platform = platform;
    nodes = platform.nodes();
    switches = platform.switches();
    mastership = platform.mastership();
    leadership = platform.leadership();
    store = platform.storage().map(STORE);
    this.execution = execution;
    this.storeFault = storeFault;
    this.clock = clock;
  }

  public void start() {
    startedNanos = execution.clock().nanoTime();
    executor = execution.sequential("node-reports");
    store.addListener(listener);
    settings.addListener(WithdrawStage.PROFILES, this);
    clock.agreement().addListener(runSoon);
    executor.scheduleWithFixedDelay(this::report, 0, PERIOD_SECONDS, SECONDS);
  }

  public void stop() {
    clock.agreement().removeListener(runSoon);
    settings.removeListener(this);
    store.removeListener(listener);
    executor.shutdownNow();
    leadership.withdraw(Topics.CLUSTER);
  }

  @Override
  public void withdraw() {
    withdrawn = true;
    store.clear();
  }

  private void report() {
    try {
      runForLeadership();
      if (withdrawn || nodes.all().size() < 2) {
        return;
      }
      store.put(
          nodes.local(),
          String.join(
              " ",
              String.valueOf(++number),
              String.valueOf(leadership.isLocal(Topics.CLUSTER)),
              String.valueOf(clock.aheadMicros()),
              platform.applicationVersion(),
              platform.diagnosis().webFault()));
    } catch (StorageUnavailableException e) {
      log.debug("This node's report did not reach the cluster's store", e);
    } catch (RuntimeException e) {
      // It would end the repetition.
      log.error("This node could not report; retrying in some seconds", e);
    }
  }

  private void runForLeadership() {
    boolean isAlone = nodes.all().size() < 2;
    long offMicros = offMicros(clock.aheadMicros());
    boolean mayLead = isAlone || (clock.isAgreed() && Math.abs(offMicros) <= MOST_OFF_MICROS);
    if (mayLead == isCandidate) {
      return;
    }
    isCandidate = mayLead;
    if (mayLead) {
      leadership.run(Topics.CLUSTER);
    } else {
      log.warn(
          "This node does not lead: its clock is {} ms off those of most nodes; set the clocks of"
              + " all nodes by NTP",
          MICROSECONDS.toMillis(offMicros));
      leadership.withdraw(Topics.CLUSTER);
    }
  }

  /** Whatever node is known by what it reports, and counts again when it reports again. */
  private void changed(String node, Optional<Versioned> before, Optional<Versioned> now) {
    if (now.isPresent()) {
      try {
        received.put(node, new Report(execution.clock().nanoTime(), now.get().value()));
      } catch (RuntimeException e) {
        log.debug("Ignored the report of node {}, which another release made", node, e);
      }
    } else {
      received.remove(node);
    }
  }

  private boolean isRecent(Report report) {
    return execution.clock().nanoTime() - report.receivedNanos < SILENT_NANOS;
  }

  /** How far a clock that is so far ahead of the cluster's time is ahead of most nodes' clocks. */
  private long offMicros(long aheadMicros) {
    List<Long> ahead = new ArrayList<>();
    ahead.add(clock.aheadMicros());
    received.forEach(
        (node, report) -> {
          if (!node.equals(nodes.local()) && isRecent(report)) {
            ahead.add(report.aheadMicros);
          }
        });
    if (ahead.size() < LEAST_CLOCKS) {
      return 0;
    }
    ahead.sort(null);
    // Of an even number the one that blames this node less: it may be one of the others.
    long lower = ahead.get((ahead.size() - 1) / 2);
    long upper = ahead.get(ahead.size() / 2);
    return aheadMicros > upper ? aheadMicros - upper : Math.min(0, aheadMicros - lower);
  }

  @Override
  public String storeFault() {
    return storeFault.get();
  }

  @Override
  public ClusterStatus status() {
    String fault = storeFault();
    Map<String, List<String>> mastered = new HashMap<>();
    for (String datapath : switches.connected()) {
      mastership
          .masterOf(datapath)
          .ifPresent(node -> mastered.computeIfAbsent(node, n -> new ArrayList<>()).add(datapath));
    }
    List<NodeStatus> found = new ArrayList<>();
    for (String node : new TreeSet<>(nodes.all())) {
      NodeStatus.Builder status =
          NodeStatus.builder(node).switches(mastered.getOrDefault(node, List.of()));
      found.add(
          node.equals(nodes.local()) ? ofThis(status) : ofAnother(status, node, !fault.isEmpty()));
    }
    return ClusterStatus.of(found, fault);
  }

  private NodeStatus ofThis(NodeStatus.Builder status) {
    return status
        .local(true)
        .state(State.RUNNING)
        .version(platform.applicationVersion())
        .leads(leadership.isLocal(Topics.CLUSTER))
        .clockOffMillis(MICROSECONDS.toMillis(offMicros(clock.aheadMicros())))
        .webFault(platform.diagnosis().webFault())
        .build();
  }

  private NodeStatus ofAnother(NodeStatus.Builder status, String node, boolean isCutOff) {
    Report report = received.get(node);
    long now = execution.clock().nanoTime();
    long silentNanos = now - (report == null ? startedNanos : report.receivedNanos);
    State otherwise = isCutOff || silentNanos < SILENT_NANOS ? State.UNKNOWN : State.SILENT;
    if (report == null) {
      return status.state(otherwise).silentSeconds(NANOSECONDS.toSeconds(silentNanos)).build();
    }
    boolean isReporting = isRecent(report) && !isCutOff;
    return status
        .state(isReporting ? State.RUNNING : otherwise)
        .silentSeconds(isReporting ? 0 : NANOSECONDS.toSeconds(silentNanos))
        .version(report.version)
        // It may have died since, and this one have followed it.
        .leads(isReporting && report.leads && !leadership.isLocal(Topics.CLUSTER))
        .clockOffMillis(isReporting ? MICROSECONDS.toMillis(offMicros(report.aheadMicros)) : 0)
        .webFault(isReporting ? report.webFault : "")
        .build();
  }
}
