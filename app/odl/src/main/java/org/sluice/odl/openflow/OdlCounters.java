// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.openflow;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
import org.sluice.api.counters.CounterListener;
import org.sluice.core.runtime.Execution;
import org.sluice.core.spi.PlatformCounters;
import org.sluice.core.spi.Switches;
import org.sluice.odl.line.Mdsal;
import org.sluice.polling.PortSamples;
import org.sluice.polling.Reading;

/**
 * What every node reads of all switches' ports, its own and others', every few seconds, whether
 * openflowplugin polls statistics or not; and the meters of Sluice's rules.
 */
public final class OdlCounters implements PlatformCounters {
  private static final long PERIOD_SECONDS = 5;

  private final SwitchCalls calls;
  private final Switches switches;
  private final Execution execution;
  private final Function<String, Map<Long, Long>> markMeters;
  private final ScheduledExecutorService executor;
  private final List<CounterListener> listeners = new CopyOnWriteArrayList<>();

  // The executor's thread alone:
  private final Map<String, PortSamples> samples = new HashMap<>();
  private final Set<String> asked = new HashSet<>();

  /**
   * One that reads nothing yet.
   *
   * @param markMeters of a switch: number of a meter to the number of the port whose marked packets
   *     it counts
   */
  public OdlCounters(
      Mdsal mdsal,
      Switches switches,
      Execution execution,
      Function<String, Map<Long, Long>> markMeters) {
    calls = new SwitchCalls(mdsal);
    this.switches = switches;
    this.execution = execution;
    this.markMeters = markMeters;
    executor = execution.sequential("platform-counters");
  }

  public void start() {
    executor.scheduleWithFixedDelay(this::read, 0, PERIOD_SECONDS, SECONDS);
  }

  public void stop() {
    executor.shutdownNow();
  }

  private void read() {
    samples.keySet().retainAll(switches.connected());
    if (listeners.isEmpty()) {
      return;
    }
    for (String datapath : switches.connected()) {
      if (asked.add(datapath)) {
        SendWindow.within(calls.ports(datapath, Optional.empty()), executor)
            .whenCompleteAsync((readings, failure) -> take(datapath, readings), executor);
      }
    }
  }

  /** Null: the switch gave none. */
  private void take(String datapath, List<Reading> readings) {
    asked.remove(datapath);
    if (readings == null) {
      return;
    }
    PortSamples ofSwitch = samples.computeIfAbsent(datapath, PortSamples::new);
    long now = execution.clock().nanoTime();
    for (Reading reading : readings) {
      ofSwitch
          .read(reading, now)
          .ifPresent(sample -> listeners.forEach(listener -> listener.portRead(sample)));
    }
  }

  @Override
  public Map<Long, Long> markMeters(String datapath) {
    return markMeters.apply(datapath);
  }

  @Override
  public void addListener(CounterListener listener) {
    listeners.add(listener);
  }

  @Override
  public void removeListener(CounterListener listener) {
    listeners.remove(listener);
  }
}
