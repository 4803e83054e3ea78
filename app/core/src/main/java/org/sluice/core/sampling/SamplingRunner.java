// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.sampling;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.JournalEntry;
import org.sluice.api.SluiceException;
import org.sluice.core.journal.JournalWriter;
import org.sluice.core.micro.FlowSizeSink;
import org.sluice.core.micro.SampledFlow;
import org.sluice.core.runtime.Execution;
import org.sluice.core.setting.Parameters;
import org.sluice.core.setting.Setting;
import org.sluice.core.setting.SettingListener;
import org.sluice.core.setting.SettingTable;
import org.sluice.core.setting.Settings;
import org.sluice.core.setting.WithdrawStage;

/**
 * Collects what switches sample of flows, as the parameters say: starts the collector, starts it
 * anew when they change or when it has failed, tries again while its port cannot be had. Every node
 * collects what switches send to it.
 */
public final class SamplingRunner implements SettingListener {
  private static final Logger log = LoggerFactory.getLogger(SamplingRunner.class);
  private static final long RETRY_SECONDS = 5;

  /** What a collector depends on: another value needs another one. */
  private static final List<Setting<?>> COLLECTOR_SETTINGS =
      List.of(
          SettingTable.SFLOW_PORT,
          SettingTable.SFLOW_ADDRESS,
          SettingTable.SFLOW_AGENTS,
          SettingTable.BACKGROUND_KILOBYTES);

  private final Settings settings;
  private final JournalWriter journal;
  private final Execution execution;
  private final SampleCollector.Factory factory;
  private final FlowSizeSink sink;
  private final LongAdder leftOut = new LongAdder();
  private ScheduledExecutorService executor;
  private Parameters running;
  private boolean isWithdrawn;
  private volatile SampleCollector collector;
  private volatile String fault = "";

  /**
   * One that collects nothing yet.
   *
   * @param factory opens the port for samples
   * @param sink takes what flows have sent
   */
  public SamplingRunner(
      Settings settings,
      JournalWriter journal,
      Execution execution,
      SampleCollector.Factory factory,
      FlowSizeSink sink) {
    this.settings = settings;
    this.journal = journal;
    this.execution = execution;
    this.factory = factory;
    this.sink = sink;
  }

  public void start() {
    executor = execution.sequential("sampling");
    settings.addListener(WithdrawStage.LINK, this);
    executor.scheduleWithFixedDelay(this::follow, 0, RETRY_SECONDS, SECONDS);
  }

  public void stop() {
    settings.removeListener(this);
    executor.shutdownNow();
    stopCollector();
  }

  @Override
  public void changed(Parameters before, Parameters now) {
    executor.execute(this::follow);
  }

  @Override
  public synchronized void withdraw() {
    isWithdrawn = true;
    stopCollector();
  }

  /** Brings the collector to what the parameters say. */
  private synchronized void follow() {
    if (executor.isShutdown() || isWithdrawn) {
      return;
    }
    try {
      Parameters now = settings.parameters();
      if (collector != null && (!collector.isListening() || !isSame(running, now))) {
        stopCollector();
      }
      if (!now.samplesFlows()) {
        fault = "";
      } else if (collector == null) {
        startCollector(now);
      }
    } catch (RuntimeException e) {
      // It would end the repetition.
      log.error("The sFlow collector could not be updated; retrying at the next interval", e);
    }
  }

  private static boolean isSame(Parameters a, Parameters b) {
    return COLLECTOR_SETTINGS.stream().allMatch(setting -> a.get(setting).equals(b.get(setting)));
  }

  private void startCollector(Parameters now) {
    try {
      leftOut.reset();
      collector = factory.start(now, this::take);
      running = now;
      fault = "";
      journal.write(
          JournalEntry.Kind.SETTING,
          "Listening for sFlow datagrams on UDP port " + now.get(SettingTable.SFLOW_PORT),
          now.get(SettingTable.SFLOW_AGENTS).size() + " switches are accepted");
    } catch (SluiceException e) {
      fault(
          String.format(
              "%s '%s': %s. %s", e.field().orElse(""), e.value(), e.getMessage(), e.remedy()));
    }
  }

  private void fault(String text) {
    if (!text.equals(fault)) {
      fault = text;
      log.warn("sFlow datagrams are not received: {}", text);
      journal.write(JournalEntry.Kind.SETTING, "sFlow datagrams are not received", text);
    }
  }

  private synchronized void stopCollector() {
    SampleCollector stopped = collector;
    collector = null;
    if (stopped != null) {
      stopped.close();
    }
  }

  /** On the collector's thread. */
  private void take(List<SampledFlow> flows) {
    leftOut.add(sink.take(flows));
  }

  /** Why no samples are received; empty: they are, or are not wanted. */
  public String fault() {
    return fault;
  }

  /** What was not taken in of what switches send. */
  public SampleCounts counts() {
    SampleCollector now = collector;
    return now == null ? SampleCounts.NONE : now.counts().with(SampleLoss.LEFT_OUT, leftOut.sum());
  }
}
