// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.loop;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.EndpointId;
import org.sluice.api.EndpointTraffic;
import org.sluice.api.HostId;
import org.sluice.api.PortId;
import org.sluice.api.PortService;
import org.sluice.api.PortStatus;
import org.sluice.api.TenantId;
import org.sluice.core.inbox.EngineInbox;
import org.sluice.core.runtime.Clock;
import org.sluice.core.runtime.Execution;
import org.sluice.core.setting.SettingTable;
import org.sluice.core.setting.Settings;
import org.sluice.engine.Engine;
import org.sluice.engine.PortSnapshot;
import org.sluice.engine.control.ScaledFloors;
import org.sluice.engine.traffic.DeliveredTraffic;

/**
 * What the one engine thread does: every control period it takes in what changed and what hosts,
 * switches and port agents observed, lets the engine decide, and sends the decisions out. What is
 * urgent, such as a connection that begins, does not wait for the period.
 */
public final class EngineLoop implements Execution.Cycle, PortService {
  private static final Logger log = LoggerFactory.getLogger(EngineLoop.class);

  /** What begins within a little while is taken in together. */
  private static final long GATHERING_NANOS = TimeUnit.MICROSECONDS.toNanos(300);

  private static final long SNAPSHOT_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long FAULT_LOG_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** After a pause of so many periods nothing is made up for: old samples say little. */
  private static final int MOST_PERIODS_LATE = 10;

  /** Between two ticks while there is nothing to decide about; less than a pause. */
  private static final long IDLE_TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long IDLE_AFTER_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long NEVER = Long.MIN_VALUE;

  private final Settings settings;
  private final Clock clock;
  private final EngineInbox inbox;
  private final Engine engine;
  private final EngineInputs inputs;
  private final DecisionOutbox outbox;
  private final Part deadlines;
  private final Part[] others;
  private final PortSnapshot snapshot = new PortSnapshot();
  private volatile List<ScaledFloors> scaledFloors = List.of();
  private volatile Map<TenantId, DeliveredTraffic> delivered = Map.of();
  private volatile Map<HostId, Long> refusedPairs = Map.of();
  private volatile Map<EndpointId, EndpointTraffic> traffic = Map.of();
  private final HeldBackHistory heldBack = new HeldBackHistory();

  // Engine thread only:
  private long nextTickNanos = NEVER;
  private long urgentNanos = NEVER;
  private long nextSnapshotNanos = NEVER;
  private long nextFaultLogNanos = NEVER;
  private long busyNanos = NEVER;
  private long reportedDrops;

  /** A part of the engine thread's work beside the engine: deadlines, queues, or policies. */
  public interface Part {
    /** Takes over changed parameters; before anything that came is taken in. */
    void follow(long nowNanos);

    /** Decides, and sends what it has decided. At least once in every control period. */
    void step(long nowNanos);
  }

  /**
   * A loop that has done nothing yet.
   *
   * @param deadlines steps between two control periods, too, when something is urgent
   * @param others step after these, in their order
   */
  public EngineLoop(
      Settings settings,
      Clock clock,
      EngineInbox inbox,
      Engine engine,
      EngineInputs inputs,
      DecisionOutbox outbox,
      Part deadlines,
      List<Part> others) {
    this.settings = settings;
    this.clock = clock;
    this.inbox = inbox;
    this.engine = engine;
    this.inputs = inputs;
    this.outbox = outbox;
    this.deadlines = deadlines;
    this.others = others.toArray(new Part[0]);
  }

  @Override
  public long run(long nowNanos) {
    long period = TimeUnit.MILLISECONDS.toNanos(settings.get(SettingTable.CONTROL_PERIOD_MILLIS));
    if (nextTickNanos == NEVER) {
      nextTickNanos = nowNanos + period;
    }
    if (nowNanos - nextTickNanos >= 0) {
      urgentNanos = NEVER;
      guarded(nowNanos, () -> tick(nowNanos));
      nextTickNanos += isIdle(nowNanos) ? Math.max(period, IDLE_TICK_NANOS) : period;
      if (clock.nanoTime() - nextTickNanos > MOST_PERIODS_LATE * period) {
        nextTickNanos = clock.nanoTime();
      }
    } else if (inbox.isUrgent()) {
      if (urgentNanos == NEVER) {
        urgentNanos = nowNanos + GATHERING_NANOS;
      }
      if (nowNanos - urgentNanos >= 0) {
        urgentNanos = NEVER;
        guarded(nowNanos, () -> takeInAndStep(nowNanos));
      }
    }
    return urgentNanos == NEVER || urgentNanos - nextTickNanos > 0 ? nextTickNanos : urgentNanos;
  }

  /** No endpoint is known, and for a while nobody has observed anything. */
  private boolean isIdle(long nowNanos) {
    return busyNanos != NEVER && nowNanos - busyNanos > IDLE_AFTER_NANOS;
  }

  private void guarded(long nowNanos, Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      if (nextFaultLogNanos == NEVER || nowNanos - nextFaultLogNanos >= 0) {
        nextFaultLogNanos = nowNanos + FAULT_LOG_NANOS;
        log.error("A control period failed; retrying at the next one", e);
      }
    }
  }

  /** Connections begin between two control periods, and their handshakes wait. */
  private void takeInAndStep(long nowNanos) {
    takeIn(nowNanos);
    deadlines.step(nowNanos);
  }

  private void takeIn(long nowNanos) {
    inputs.follow(nowNanos);
    deadlines.follow(nowNanos);
    for (Part part : others) {
      part.follow(nowNanos);
    }
    // Samples of switches come by a way of their own.
    boolean samples = settings.get(SettingTable.SFLOW_PORT) != 0;
    if (inbox.drain(nowNanos) || inputs.hasEndpoints() || samples || busyNanos == NEVER) {
      busyNanos = nowNanos;
    }
  }

  /** One control period. */
  private void tick(long nowNanos) {
    takeIn(nowNanos);
    engine.tick(nowNanos, clock.wallMillis());
    deadlines.step(nowNanos);
    for (Part part : others) {
      part.step(nowNanos);
    }
    outbox.flush();
    if (nextSnapshotNanos == NEVER || nowNanos - nextSnapshotNanos >= 0) {
      nextSnapshotNanos = nowNanos + SNAPSHOT_NANOS;
      engine.measure();
      snapshot.update(engine.portStatuses());
      scaledFloors = engine.scaledFloors();
      delivered = engine.delivered();
      refusedPairs = engine.refusedPairs();
      traffic = heldBack.steady(engine.endpointTraffic());
      reportDrops();
    }
  }

  private void reportDrops() {
    long drops = inbox.droppedSamples() + inbox.refusedTasks();
    if (drops > reportedDrops) {
      log.warn(
          "The engine could not keep up: {} samples dropped and {} tasks refused since the start",
          inbox.droppedSamples(),
          inbox.refusedTasks());
      reportedDrops = drops;
    }
  }

  /** Ports where floors were scaled down at the last evaluation, a second ago at most, by id. */
  public List<ScaledFloors> scaledFloors() {
    return scaledFloors;
  }

  /** What tenants' endpoints got through, as of the last evaluation, a second ago at most. */
  public Map<TenantId, DeliveredTraffic> delivered() {
    return delivered;
  }

  /**
   * Of how many samples of a host, since the start, the pairs were not taken in for there were too
   * many, at the last evaluation, a second ago at most.
   */
  public Map<HostId, Long> refusedPairs() {
    return refusedPairs;
  }

  /** What endpoints that send got through, as of the last evaluation, a second ago at most. */
  public Map<EndpointId, EndpointTraffic> traffic() {
    return traffic;
  }

  @Override
  public List<PortStatus> ports() {
    return snapshot.ports();
  }

  @Override
  public Optional<PortStatus> port(PortId id) {
    return snapshot.port(id);
  }
}
