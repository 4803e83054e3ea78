// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.micro;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.HostId;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.api.counters.PortSample;
import org.sluice.api.link.FlowSizeReport;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.UplinkHandler;
import org.sluice.api.queue.ActiveCap;
import org.sluice.api.queue.BackgroundFlow;
import org.sluice.api.queue.PortQueues;
import org.sluice.api.queue.QueueService;
import org.sluice.core.inbox.EngineInbox;
import org.sluice.core.loop.EngineFeed;
import org.sluice.core.loop.EngineLoop;
import org.sluice.core.profile.TunedLevels;
import org.sluice.core.runtime.Execution;
import org.sluice.core.setting.Parameters;
import org.sluice.core.setting.SettingListener;
import org.sluice.core.setting.SettingTable;
import org.sluice.core.setting.Settings;
import org.sluice.core.setting.Topics;
import org.sluice.core.setting.WithdrawStage;
import org.sluice.core.spi.CapMeter;

/**
 * Queues, background flows and caps on this node: joins the agent link, the engine thread and the
 * switches' meters, and answers what others read. What they read is some tenths of a second old, of
 * flows a second.
 */
public final class MicroFlowRunner
    implements EngineLoop.Part, EngineFeed.Tap, QueueService, FlowSizeSink, SettingListener {
  private static final Logger log = LoggerFactory.getLogger(MicroFlowRunner.class);
  private static final long SNAPSHOT_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long FLOWS_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long NEVER = Long.MIN_VALUE;

  private final Settings settings;
  private final MicroFlowContext context;
  private final EngineInbox inbox;
  private final Execution execution;
  private final LevelThresholds thresholds = new LevelThresholds();
  private final MicroFlowLoop loop;
  private final ThresholdDivider divider;
  private final Reports reports = new Reports();
  private final WaitingFlows waitingFlows = new WaitingFlows();
  private ScheduledExecutorService executor;
  private volatile List<CapMeter> meters = List.of();
  private volatile boolean hasMetered;
  private volatile List<PortQueues> queues = List.of();
  private volatile List<ActiveCap> caps = List.of();
  private volatile List<UnenforcedCap> unenforced = List.of();

  // Engine thread only:
  private long nextSnapshotNanos = NEVER;
  private boolean isWithdrawn;

  // Guarded by flowsLock:
  private List<BackgroundFlow> flows = List.of();
  private long flowsNanos = NEVER;
  private final Object flowsLock = new Object();

  public MicroFlowRunner(
      Settings settings, MicroFlowContext context, EngineInbox inbox, Execution execution) {
    this.settings = settings;
    this.context = context;
    this.inbox = inbox;
    this.execution = execution;
    loop =
        new MicroFlowLoop(
            context,
            execution.clock(),
            () -> context.platform.leadership().isLocal(Topics.CLUSTER),
            thresholds,
            this::meter);
    divider = new ThresholdDivider(context, loop.agents());
  }

  public void start() {
    executor = execution.sequential("cap-meters");
    settings.addListener(WithdrawStage.QUEUES, this);
    context.link.addListener(reports);
  }

  /**
   * After {@link #withdraw} at the latest nothing is left but what port agents end by themselves.
   */
  public void stop() {
    context.link.removeListener(reports);
    settings.removeListener(this);
    executor.shutdownNow();
    if (hasMetered) {
      meters = List.of();
      applyMeters();
    }
  }

  /** What hosts are sent about levels. */
  public TunedLevels levels() {
    return thresholds;
  }

  /** Takes to the engine thread what it does not get with the engine's samples. */
  private final class Reports implements UplinkHandler {

    @Override
    public void sessionOpened(HostHello hello) {
      if (!hello.switchPorts().isEmpty()) {
        inbox.post(now -> loop.agents().connected(hello));
      }
    }

    @Override
    public void sessionClosed(HostId host) {
      inbox.post(now -> loop.agents().disconnected(host));
    }

    @Override
    public void flowSizesReported(FlowSizeReport report) {
      if (settings.parameters().needsFlowSizes()) {
        int entries = report.large().size() + report.ended().size();
        inbox.offer(report.host(), entries, now -> loop.reported(report));
      }
    }
  }

  @Override
  public int take(List<SampledFlow> seen) {
    return settings.parameters().followsFlowSizes() ? seen.size() - waitingFlows.add(seen) : 0;
  }

  // ------------------------------------------------------------ engine thread

  @Override
  public void follow(long nowNanos) {
    loop.follow(settings.parameters(), nowNanos);
  }

  @Override
  public void step(long nowNanos) {
    loop.seenBySwitches(waitingFlows.removeAll(), nowNanos);
    loop.step(nowNanos);
    if (!isWithdrawn) {
      divider.step(settings.parameters().get(SettingTable.THRESHOLD_DIVISION), nowNanos);
    }
    if (nextSnapshotNanos == NEVER || nowNanos - nextSnapshotNanos >= 0) {
      nextSnapshotNanos = nowNanos + SNAPSHOT_NANOS;
      queues = List.copyOf(loop.queues());
      caps = List.copyOf(loop.caps());
      unenforced = List.copyOf(loop.unenforced());
    }
  }

  @Override
  public void sent(HostObservation observation) {
    loop.sent(observation);
  }

  @Override
  public void queued(PortQueueObservation observation) {
    loop.agents().observe(observation);
  }

  @Override
  public void counted(PortSample sample, long receivedNanos) {
    loop.counted(sample, receivedNanos);
  }

  /** Switches take their time. */
  private void meter(List<CapMeter> wanted) {
    hasMetered = true;
    meters = wanted;
    try {
      executor.execute(this::applyMeters);
    } catch (RejectedExecutionException e) {
      log.debug("Ignored a cap: the component is stopping");
    }
  }

  /** One at a time, so that the last one applied is the newest. */
  private synchronized void applyMeters() {
    context.platform.capMeters().set(meters);
  }

  // ------------------------------------------------------------ settings

  @Override
  public void changed(Parameters before, Parameters now) {
    // The engine thread follows them in its next period.
  }

  @Override
  public void withdraw() {
    try {
      inbox.call(
          now -> {
            loop.withdraw(now);
            isWithdrawn = true;
            divider.clear();
            return true;
          });
    } catch (SluiceException e) {
      log.warn("Caps could not be withdrawn; they end by themselves: {}", e.toString());
    }
  }

  // ------------------------------------------------------------ what others read

  @Override
  public List<PortQueues> queues() {
    return queues;
  }

  @Override
  public Optional<PortQueues> queues(PortId port) {
    return queues.stream().filter(queue -> queue.port().equals(port)).findFirst();
  }

  @Override
  public List<BackgroundFlow> backgroundFlows() {
    synchronized (flowsLock) {
      long now = execution.clock().nanoTime();
      if (flowsNanos == NEVER || now - flowsNanos >= FLOWS_NANOS) {
        requestFlows();
        flowsNanos = execution.clock().nanoTime();
      }
      return flows;
    }
  }

  /** There may be very many: they are listed on request only. */
  private void requestFlows() {
    try {
      Map<String, BackgroundFlow> byKey = new TreeMap<>();
      inbox
          .call(now -> loop.backgroundFlows())
          .forEach(flow -> byKey.put(flow.flow().toString(), flow));
      flows = List.copyOf(byKey.values());
    } catch (SluiceException e) {
      log.debug("Background flows could not be read; those read last are shown: {}", e.toString());
    }
  }

  @Override
  public List<ActiveCap> caps() {
    return caps;
  }

  @Override
  public List<Long> levelThresholdsBytes() {
    return thresholds.thresholdsBytes();
  }

  /** Caps of the last minute that nothing could enforce. */
  public List<UnenforcedCap> unenforcedCaps() {
    return unenforced;
  }
}
