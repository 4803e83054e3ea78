// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.counter;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.JournalEntry;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.api.counters.CounterListener;
import org.sluice.api.counters.CounterReader;
import org.sluice.api.counters.CounterService;
import org.sluice.api.counters.CounterSource;
import org.sluice.api.counters.CounterTargets;
import org.sluice.api.counters.MeterSample;
import org.sluice.api.counters.PortSample;
import org.sluice.api.counters.SwitchCounters;
import org.sluice.core.journal.JournalWriter;
import org.sluice.core.registry.Capacities;
import org.sluice.core.runtime.CoalescedTask;
import org.sluice.core.runtime.Execution;
import org.sluice.core.setting.Parameters;
import org.sluice.core.setting.SettingListener;
import org.sluice.core.setting.SettingTable;
import org.sluice.core.setting.Settings;
import org.sluice.core.setting.WithdrawStage;
import org.sluice.core.spi.Platform;

/**
 * Reads the switches whose master this node is: over their own connections where they have one,
 * else as the platform polls them, and reports which. Every node awaits every switch, so that a new
 * master reads at once.
 */
public final class CounterRunner implements CounterService, CounterFeed, SettingListener {
  private static final Logger log = LoggerFactory.getLogger(CounterRunner.class);
  private static final long FOLLOW_SECONDS = 1;

  /** A switch connects within a few seconds of its start, or is not set up to. */
  public static final long CONNECT_GRACE_NANOS = SECONDS.toNanos(15);

  /** How long after a port could not be had it is tried again. */
  private static final long RETRY_NANOS = SECONDS.toNanos(5);

  /** Only OpenFlow switches have such counters. */
  private static final String SCHEME = "of:";

  /** How long a port is read fast after its neighbour counted marks from it. */
  private static final long WATCH_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Settings settings;
  private final Platform platform;
  private final JournalWriter journal;
  private final Execution execution;
  private final CounterReader.Factory factory;
  private final Targets targets;
  private final Senders senders;
  private final List<CounterListener> listeners = new CopyOnWriteArrayList<>();
  private final CounterListener samples = new Samples();
  private final CounterListener platformSamples = new PlatformSamples();

  /** Since when a switch of ours has had no connection. */
  private final Map<String, Long> unconnectedSince = new HashMap<>();

  private final Set<String> warned = new HashSet<>();

  private volatile Map<String, CounterSource> sources = Map.of();

  /** By switch: which meter counts marked packets from which port. */
  private final Map<String, Map<Long, Long>> markMeterPorts = new ConcurrentHashMap<>();

  private final Runnable followSoon =
      new CoalescedTask(command -> this.executor.execute(command), this::follow);
  private volatile CounterReader reader;
  private ScheduledExecutorService executor;
  private int runningPort;
  private long nextStartNanos;
  private String lastFault = "";

  /**
   * One that reads nothing yet.
   *
   * @param factory opens the connections that switches make
   */
  public CounterRunner(
      Settings settings,
      Platform platform,
      Capacities capacities,
      JournalWriter journal,
      Execution execution,
      CounterReader.Factory factory) {
    this.settings = settings;
    this.platform = platform;
    this.journal = journal;
    this.execution = execution;
    this.factory = factory;
    this.targets = new Targets(capacities, platform.counters(), execution.clock());
    this.senders = new Senders(platform.topology());
  }

  public void start() {
    nextStartNanos = execution.clock().nanoTime();
    executor = execution.sequential("counters");
    settings.addListener(WithdrawStage.LINK, this);
    platform.switches().epoch().addListener(followSoon);
    platform.mastership().epoch().addListener(followSoon);
    platform.counters().addListener(platformSamples);
    executor.scheduleWithFixedDelay(this::follow, 0, FOLLOW_SECONDS, SECONDS);
  }

  public void stop() {
    platform.counters().removeListener(platformSamples);
    platform.mastership().epoch().removeListener(followSoon);
    platform.switches().epoch().removeListener(followSoon);
    settings.removeListener(this);
    executor.shutdownNow();
    stopReader();
  }

  @Override
  public void changed(Parameters before, Parameters now) {
    followSoon.run();
  }

  /** Brings the reader to what parameters, switches and roles say. */
  private synchronized void follow() {
    if (executor.isShutdown()) {
      return;
    }
    try {
      followSettings();
      followSwitches();
    } catch (RuntimeException e) {
      log.error("The reading of counters could not be updated; retrying at the next round", e);
    }
  }

  private void followSettings() {
    long now = execution.clock().nanoTime();
    boolean wanted = settings.get(SettingTable.FAST_COUNTERS) && platform.reachesSwitches();
    int port = settings.get(SettingTable.FAST_COUNTERS_PORT);
    if (reader != null && (!wanted || port != runningPort)) {
      stopReader();
      nextStartNanos = now;
    }
    if (reader == null && wanted && now - nextStartNanos >= 0) {
      nextStartNanos = now + RETRY_NANOS;
      try {
        reader = factory.start(port, samples);
        runningPort = port;
        lastFault = "";
        if (reader.port() != CounterReader.NO_PORT) {
          log.info("Listening for switches on TCP port {}", runningPort);
        }
      } catch (SluiceException e) {
        fault(
            String.format(
                "%s '%s': %s. %s", e.field().orElse(""), e.value(), e.getMessage(), e.remedy()));
      }
    }
  }

  private void fault(String text) {
    if (!text.equals(lastFault)) {
      lastFault = text;
      log.warn("Fast counters are off: {}", text);
      journal.write(JournalEntry.Kind.SETTING, "Fast counters are off", text);
    }
  }

  private void followSwitches() {
    Map<String, CounterSource> now = new TreeMap<>();
    for (String datapath : platform.switches().connected()) {
      if (datapath.startsWith(SCHEME) && platform.reachesSwitches()) {
        now.put(datapath, tryToFollow(datapath));
      }
    }
    if (reader != null) {
      sources.keySet().stream().filter(d -> !now.containsKey(d)).forEach(reader::stopReading);
    }
    markMeterPorts.keySet().retainAll(now.keySet());
    targets.retain(now.keySet());
    unconnectedSince.keySet().removeIf(datapath -> !now.containsKey(datapath));
    warned.removeIf(datapath -> !now.containsKey(datapath));
    sources = now;
  }

  /** One switch of which nothing is known now holds up no other. */
  private CounterSource tryToFollow(String datapath) {
    try {
      return follow(datapath);
    } catch (RuntimeException e) {
      log.warn(
          "What is read of {} could not be updated; retrying at the next round: {}",
          datapath,
          e.toString());
      return sources.getOrDefault(datapath, CounterSource.NONE);
    }
  }

  private CounterSource follow(String datapath) {
    if (!platform.mastership().isLocal(datapath)) {
      forget(datapath);
      markMeterPorts.remove(datapath);
      if (reader != null) {
        reader.stopReading(datapath);
      }
      return CounterSource.NONE;
    }
    if (reader == null) {
      return CounterSource.SLOW;
    }
    CounterTargets wanted = targets.of(datapath);
    markMeterPorts.put(datapath, wanted.markMeters());
    reader.read(datapath, wanted);
    return reader.isConnected(datapath) ? connected(datapath) : unconnected(datapath);
  }

  private void forget(String datapath) {
    unconnectedSince.remove(datapath);
    warned.remove(datapath);
  }

  private CounterSource connected(String datapath) {
    unconnectedSince.remove(datapath);
    if (warned.remove(datapath)) {
      log.info("Counters of {} are fast now", datapath);
      journal.write(
          JournalEntry.Kind.SETTING, "Counters of " + datapath + " are fast", "it connected");
    }
    return CounterSource.FAST;
  }

  private CounterSource unconnected(String datapath) {
    long now = execution.clock().nanoTime();
    long since = unconnectedSince.computeIfAbsent(datapath, d -> now);
    if (now - since >= CONNECT_GRACE_NANOS && warned.add(datapath)) {
      String remedy =
          "it has no connection to TCP port "
              + runningPort
              + ": run on it what sluice-switch-setup prints";
      log.warn(
          "Counters of {} are slow, as often as the platform polls them: {}", datapath, remedy);
      journal.write(JournalEntry.Kind.SETTING, "Counters of " + datapath + " are slow", remedy);
    }
    return CounterSource.SLOW;
  }

  private synchronized void stopReader() {
    CounterReader stopped = reader;
    reader = null;
    if (stopped != null) {
      stopped.close();
    }
    unconnectedSince.clear();
    warned.clear();
  }

  @Override
  public OptionalInt listenPort() {
    CounterReader now = reader;
    return now == null ? OptionalInt.empty() : OptionalInt.of(now.port());
  }

  @Override
  public List<SwitchCounters> switches() {
    CounterReader now = reader;
    Map<String, SwitchCounters> all = new TreeMap<>();
    sources.forEach(
        (datapath, source) ->
            all.put(datapath, SwitchCounters.builder(datapath).source(source).build()));
    if (now != null) {
      for (SwitchCounters connected : now.switches()) {
        CounterSource source = sources.getOrDefault(connected.datapath(), CounterSource.NONE);
        all.put(connected.datapath(), connected.withSource(source));
      }
    }
    return new ArrayList<>(all.values());
  }

  @Override
  public void addListener(CounterListener listener) {
    listeners.add(listener);
  }

  @Override
  public Map<String, Map<Long, Long>> markMeters() {
    return Map.copyOf(markMeterPorts);
  }

  @Override
  public void removeListener(CounterListener listener) {
    listeners.remove(listener);
  }

  private final class Samples implements CounterListener {
    @Override
    public void portRead(PortSample sample) {
      listeners.forEach(listener -> listener.portRead(sample));
    }

    /** Marks come from the port at the other end of the link: that one is worth frequent polls. */
    @Override
    public void meterRead(MeterSample sample) {
      CounterReader now = reader;
      if (now != null && sample.packets() > 0) {
        watchSender(now, sample);
      }
      listeners.forEach(listener -> listener.meterRead(sample));
    }

    private void watchSender(CounterReader now, MeterSample sample) {
      Long inPort = markMeterPorts.getOrDefault(sample.datapath(), Map.of()).get(sample.meterId());
      if (inPort != null) {
        senders
            .to(PortId.of(sample.datapath(), inPort))
            .ifPresent(sender -> now.watch(sender, WATCH_NANOS));
      }
    }
  }

  /** What the platform reads counts only while nothing better does. */
  private final class PlatformSamples implements CounterListener {
    @Override
    public void portRead(PortSample sample) {
      if (sources.get(sample.port().datapath()) == CounterSource.SLOW) {
        samples.portRead(sample);
      }
    }

    @Override
    public void meterRead(MeterSample sample) {
      // Meters that the platform polls are too old to say which port marks.
    }
  }
}
