// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.cluster;

import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.core.runtime.CoalescedTask;
import org.sluice.core.runtime.Execution;
import org.sluice.core.setting.SettingListener;
import org.sluice.core.setting.Settings;
import org.sluice.core.setting.Topics;
import org.sluice.core.setting.WithdrawStage;
import org.sluice.core.spi.ClusterNodes;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.Leadership;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.spi.ReplicatedMap.Versioned;
import org.sluice.core.spi.ReplicatedStorage;
import org.sluice.core.spi.StorageUnavailableException;

/**
 * The time of day on which a cluster's nodes agree, whatever their own clocks say: what one node
 * stores as a time another reads as the same. Each node that does not lead queries the leader of
 * {@value Topics#CLUSTER} for the time now and then, by way of the cluster's store, and corrects
 * its own clock by what it must: the answer is of a moment between question and answer. The next
 * leader goes on with the time of the one before.
 *
 * <p>There are two times: the time of day, and a steady one. Where a node's clock is set neither
 * follows, lest promises end that have time left; the only node of a cluster goes by its clock,
 * which somebody may have set right. Thread-safe.
 */
public final class ClusterClock implements SettingListener {
  private static final Logger log = LoggerFactory.getLogger(ClusterClock.class);
  private static final String STORE = "sluice-clock";
  private static final String QUESTION = "question";
  private static final long PERIOD_SECONDS = 10;

  /** A leader of an earlier release answers nothing: after so long its clock is taken for ours. */
  private static final long PATIENCE_SECONDS = 5;

  private final Settings settings;
  private final String node;
  private final Leadership leadership;
  private final ReplicatedMap store;
  private final Execution execution;

  /** How far the time of day as this node counts it is ahead of its monotonic clock. */
  private volatile long dayAheadMicros;

  private final ClusterNodes nodes;
  private final Scale timeOfDay;
  private final Scale steady;
  private final Epoch agreement = new Epoch();
  private final Runnable askSoon =
      new CoalescedTask(command -> this.executor.execute(command), this::ask);
  private final ReplicatedMap.Listener listener = this::changed;
  private ScheduledExecutorService executor;
  private volatile boolean agreed;
  private volatile boolean withdrawn;

  // Executor thread only:
  private long number;

  /** One of the two times. */
  private static final class Scale {
    private final LongSupplier ownMicros;
    private volatile long aheadMicros;

    /** When this node queried the leader last, by its own clock. Executor thread only. */
    private long askedMicros;

    Scale(LongSupplier ownMicros) {
      this.ownMicros = ownMicros;
    }

    long micros() {
      return ownMicros.getAsLong() - aheadMicros;
    }

    void learn(long clusterMicros, long receivedMicros) {
      long least = askedMicros - clusterMicros;
      long most = receivedMicros - clusterMicros;
      aheadMicros = Math.max(least, Math.min(most, aheadMicros));
    }
  }

  /**
   * One that goes by this node's own clocks until it is started.
   *
   * @param steadyMillis this node's time, ms since the epoch, which never goes back
   */
  public ClusterClock(
      Settings settings,
      ClusterNodes nodes,
      Leadership leadership,
      ReplicatedStorage storage,
      Execution execution,
      LongSupplier steadyMillis) {
    this.settings = settings;
    this.nodes = nodes;
    this.node = nodes.local();
    this.leadership = leadership;
    this.store = storage.map(STORE);
    this.execution = execution;
    timeOfDay = new Scale(this::dayMicros);
    steady = new Scale(() -> MILLISECONDS.toMicros(steadyMillis.getAsLong()));
  }

  private long dayMicros() {
    return NANOSECONDS.toMicros(execution.clock().nanoTime()) + dayAheadMicros;
  }

  private void followOwnClock() {
    dayAheadMicros =
        execution.clock().wallMicros() - NANOSECONDS.toMicros(execution.clock().nanoTime());
  }

  public void start() {
    followOwnClock();
    executor = execution.sequential("cluster-clock");
    store.addListener(listener);
    settings.addListener(WithdrawStage.PROFILES, this);
    leadership.epoch().addListener(askSoon);
    executor.scheduleWithFixedDelay(askSoon, 0, PERIOD_SECONDS, SECONDS);
  }

  public void stop() {
    leadership.epoch().removeListener(askSoon);
    settings.removeListener(this);
    store.removeListener(listener);
    executor.shutdownNow();
  }

  @Override
  public void withdraw() {
    withdrawn = true;
    store.clear();
  }

  /** The cluster's time of day, microseconds since the epoch. */
  public long micros() {
    if (nodes.all().size() == 1) {
      followOwnClock();
    }
    return timeOfDay.micros();
  }

  /** The cluster's steady time, ms since the epoch. */
  public long steadyMillis() {
    return MICROSECONDS.toMillis(steady.micros());
  }

  /** How far this node's own clock is ahead of the cluster's, microseconds; below 0: behind. */
  public long aheadMicros() {
    return execution.clock().wallMicros() - micros();
  }

  /** Whether this node knows the cluster's time; until then it goes by its own clock. */
  public boolean isAgreed() {
    return agreed;
  }

  /** Advances once, when this node has come to know the cluster's time. */
  public Epoch agreement() {
    return agreement;
  }

  private void ask() {
    try {
      if (withdrawn) {
        return;
      }
      if (leadership.isLocal(Topics.CLUSTER)) {
        agree();
        return;
      }
      timeOfDay.askedMicros = timeOfDay.ownMicros.getAsLong();
      steady.askedMicros = steady.ownMicros.getAsLong();
      store.put(node, QUESTION + ' ' + ++number);
      if (!agreed) {
        executor.schedule(this::agree, PATIENCE_SECONDS, SECONDS);
      }
    } catch (StorageUnavailableException e) {
      log.debug("The leader was not asked for the time; retrying in some seconds", e);
    } catch (RuntimeException e) {
      // It would end the repetition.
      log.error("The leader was not asked for the time; retrying in some seconds", e);
    }
  }

  private void agree() {
    if (!agreed) {
      agreed = true;
      agreement.advance();
    }
  }

  private void changed(String from, Optional<Versioned> before, Optional<Versioned> now) {
    if (now.isEmpty()) {
      return;
    }
    long receivedMicros = timeOfDay.ownMicros.getAsLong();
    long receivedSteadyMicros = steady.ownMicros.getAsLong();
    String[] words = now.get().value().split(" ");
    boolean isQuestion = words[0].equals(QUESTION);
    if (isQuestion && !from.equals(node) && leadership.isLocal(Topics.CLUSTER)) {
      executor.execute(() -> answer(from, now.get().version(), words[1]));
    } else if (!isQuestion && from.equals(node)) {
      executor.execute(
          () -> {
            if (Long.parseLong(words[0]) == number) {
              timeOfDay.learn(Long.parseLong(words[1]), receivedMicros);
              steady.learn(Long.parseLong(words[2]), receivedSteadyMicros);
              agree();
            }
          });
    }
  }

  private void answer(String from, long version, String question) {
    try {
      store.replace(from, version, question + ' ' + timeOfDay.micros() + ' ' + steady.micros());
    } catch (StorageUnavailableException e) {
      log.debug("Node {} did not receive the time; it will query again", from, e);
    }
  }
}
