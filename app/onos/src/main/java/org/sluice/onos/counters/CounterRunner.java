// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.counters;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.onlab.util.Tools.groupedThreads;

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
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.onosproject.mastership.MastershipListener;
import org.onosproject.mastership.MastershipService;
import org.onosproject.net.ConnectPoint;
import org.onosproject.net.Device;
import org.onosproject.net.DeviceId;
import org.onosproject.net.Link;
import org.onosproject.net.PortNumber;
import org.onosproject.net.device.DeviceEvent;
import org.onosproject.net.device.DeviceListener;
import org.onosproject.net.device.DeviceService;
import org.onosproject.net.flow.FlowRuleService;
import org.onosproject.net.link.LinkService;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.JournalEntry;
import org.sluice.api.SluiceException;
import org.sluice.api.counters.CounterListener;
import org.sluice.api.counters.CounterService;
import org.sluice.api.counters.CounterSource;
import org.sluice.api.counters.CounterTargets;
import org.sluice.api.counters.MeterSample;
import org.sluice.api.counters.PortSample;
import org.sluice.api.counters.SwitchCounters;
import org.sluice.onos.journal.Chronicle;
import org.sluice.onos.registry.Capacities;
import org.sluice.onos.setting.Parameters;
import org.sluice.onos.setting.SettingListener;
import org.sluice.onos.setting.SettingService;
import org.sluice.onos.topology.OnosTypes;

/**
 * Reads the switches whose master this node is: over their own connections where they have one,
 * else as ONOS polls them, and says so. Every node awaits every switch, so that a new master reads
 * at once.
 */
@Component(
    immediate = true,
    service = {CounterService.class, CounterFeed.class})
public class CounterRunner implements CounterService, CounterFeed, SettingListener {
  private static final Logger log = LoggerFactory.getLogger(CounterRunner.class);
  private static final int WITHDRAW_STAGE = 10;
  private static final long FOLLOW_SECONDS = 1;

  /** A switch connects within a few seconds of its start, or is not set up to. */
  private static final long PATIENCE_NANOS = SECONDS.toNanos(15);

  /** How long after a port could not be had it is tried again. */
  private static final long RETRY_NANOS = SECONDS.toNanos(5);

  /** Only OpenFlow switches have such counters. */
  private static final String SCHEME = "of";

  /** How long a port is read fast after its neighbour counted marks from it. */
  private static final long WATCH_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  @Reference SettingService settings;
  @Reference DeviceService devices;
  @Reference MastershipService mastership;
  @Reference LinkService links;
  @Reference FlowRuleService flows;
  @Reference Capacities capacities;
  @Reference Chronicle chronicle;

  private final CounterReader.Factory factory;
  private final long patienceNanos;
  private final List<CounterListener> listeners = new CopyOnWriteArrayList<>();
  private final DeviceListener deviceListener = this::deviceChanged;
  private final MastershipListener mastershipListener = event -> soon();
  private final CounterListener samples = new Samples();

  /** Since when a switch of ours has had no connection. */
  private final Map<DeviceId, Long> unconnectedSince = new HashMap<>();

  private final Set<DeviceId> warned = new HashSet<>();

  private volatile Map<String, CounterSource> sources = Map.of();

  /** By switch: which meter counts marked packets from which port. */
  private final Map<String, Map<Long, Long>> markMeterPorts = new ConcurrentHashMap<>();

  private final AtomicBoolean pending = new AtomicBoolean();
  private volatile CounterReader reader;
  private ScheduledExecutorService executor;
  private Targets targets;
  private int runningPort;
  private long nextStartNanos = System.nanoTime();
  private String lastFault = "";

  public CounterRunner() {
    this(FastCounterReader::start, PATIENCE_NANOS);
  }

  /** With another kind of reader, for tests. */
  CounterRunner(CounterReader.Factory factory, long patienceNanos) {
    this.factory = factory;
    this.patienceNanos = patienceNanos;
  }

  @Activate
  void activate() {
    targets = new Targets(capacities, flows, settings.applicationId());
    executor =
        Executors.newSingleThreadScheduledExecutor(
            groupedThreads("sluice/counters", "follow", log));
    settings.addListener(WITHDRAW_STAGE, this);
    devices.addListener(deviceListener);
    mastership.addListener(mastershipListener);
    executor.scheduleWithFixedDelay(this::follow, 0, FOLLOW_SECONDS, SECONDS);
  }

  @Deactivate
  void deactivate() {
    mastership.removeListener(mastershipListener);
    devices.removeListener(deviceListener);
    settings.removeListener(this);
    executor.shutdownNow();
    stop();
  }

  @Override
  public void changed(Parameters before, Parameters now) {
    soon();
  }

  /** Many events at once are followed once. */
  private void soon() {
    if (!pending.compareAndSet(false, true)) {
      return;
    }
    try {
      executor.execute(this::follow);
    } catch (RejectedExecutionException e) {
      log.debug("An event came too late: the component stops");
    }
  }

  /** Brings the reader to what parameters, switches and roles say. */
  private synchronized void follow() {
    pending.set(false);
    if (executor.isShutdown()) {
      return;
    }
    try {
      followSettings(settings.parameters());
      followSwitches();
    } catch (RuntimeException e) {
      log.error("Counters were not followed; the next round starts as usual", e);
    }
  }

  private void followSettings(Parameters now) {
    if (reader != null && (!now.fastCounters() || now.fastCountersPort() != runningPort)) {
      stop();
      nextStartNanos = System.nanoTime();
    }
    if (reader == null && now.fastCounters() && System.nanoTime() - nextStartNanos >= 0) {
      nextStartNanos = System.nanoTime() + RETRY_NANOS;
      try {
        reader = factory.start(now.fastCountersPort(), samples);
        runningPort = now.fastCountersPort();
        lastFault = "";
        log.info("Switches are awaited on TCP port {}", runningPort);
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
      chronicle.write(JournalEntry.Kind.SETTING, "Fast counters are off", text);
    }
  }

  private void followSwitches() {
    Map<String, CounterSource> now = new TreeMap<>();
    for (Device device : devices.getAvailableDevices()) {
      if (device.id().uri().getScheme().equals(SCHEME)) {
        now.put(device.id().toString(), follow(device.id()));
      }
    }
    if (reader != null) {
      sources.keySet().stream().filter(d -> !now.containsKey(d)).forEach(reader::stopReading);
    }
    markMeterPorts.keySet().retainAll(now.keySet());
    targets.retain(now.keySet());
    unconnectedSince.keySet().removeIf(device -> !now.containsKey(device.toString()));
    warned.removeIf(device -> !now.containsKey(device.toString()));
    sources = now;
  }

  private CounterSource follow(DeviceId device) {
    String datapath = device.toString();
    if (!mastership.isLocalMaster(device)) {
      forget(device);
      markMeterPorts.remove(datapath);
      if (reader != null) {
        reader.stopReading(datapath);
      }
      return CounterSource.NONE;
    }
    if (reader == null) {
      return CounterSource.SLOW;
    }
    CounterTargets wanted = targets.of(device);
    markMeterPorts.put(datapath, wanted.markMeters());
    reader.read(datapath, wanted);
    return reader.isConnected(datapath) ? connected(device) : unconnected(device);
  }

  private void forget(DeviceId device) {
    unconnectedSince.remove(device);
    warned.remove(device);
  }

  private CounterSource connected(DeviceId device) {
    unconnectedSince.remove(device);
    if (warned.remove(device)) {
      log.info("Counters of {} are fast now", device);
      chronicle.write(
          JournalEntry.Kind.SETTING, "Counters of " + device + " are fast", "it connected");
    }
    return CounterSource.FAST;
  }

  private CounterSource unconnected(DeviceId device) {
    long now = System.nanoTime();
    long since = unconnectedSince.computeIfAbsent(device, d -> now);
    if (now - since >= patienceNanos && warned.add(device)) {
      String remedy =
          "it has no connection to TCP port "
              + runningPort
              + ": run on it what sluice-switch-setup prints";
      log.warn("Counters of {} come slowly, as ONOS polls them: {}", device, remedy);
      chronicle.write(JournalEntry.Kind.SETTING, "Counters of " + device + " are slow", remedy);
    }
    return CounterSource.SLOW;
  }

  private synchronized void stop() {
    CounterReader stopped = reader;
    reader = null;
    if (stopped != null) {
      stopped.close();
    }
    unconnectedSince.clear();
    warned.clear();
  }

  private void deviceChanged(DeviceEvent event) {
    if (event.type() != DeviceEvent.Type.PORT_STATS_UPDATED) {
      soon();
      return;
    }
    DeviceId device = event.subject().id();
    if (sources.get(device.toString()) == CounterSource.SLOW) {
      SlowCounters.read(devices, device).forEach(samples::portRead);
    }
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

    /** Marks come from the port at the other end of the link: that one is worth a close look. */
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
        ConnectPoint in =
            new ConnectPoint(DeviceId.deviceId(sample.datapath()), PortNumber.portNumber(inPort));
        for (Link link : links.getIngressLinks(in)) {
          if (link.src().elementId() instanceof DeviceId) {
            now.watch(OnosTypes.port(link.src()), WATCH_NANOS);
          }
        }
      }
    }
  }
}
