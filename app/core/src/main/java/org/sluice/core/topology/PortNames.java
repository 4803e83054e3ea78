// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.topology;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.PortId;
import org.sluice.api.topology.Attachment;
import org.sluice.api.topology.NetworkTopology;
import org.sluice.api.topology.SwitchLink;
import org.sluice.api.topology.SwitchStatus;
import org.sluice.api.topology.TopologyService;
import org.sluice.core.runtime.Execution;

/**
 * What people call ports: the platform's name, and where the port leads, {@code s1:5 -> s2}.
 * Callers may be the engine's thread, so that the topology is looked at elsewhere. Thread-safe.
 */
public final class PortNames {
  private static final Logger log = LoggerFactory.getLogger(PortNames.class);
  private static final long PERIOD_SECONDS = 2;

  private final Function<PortId, Optional<String>> own;
  private final TopologyService topology;
  private final Execution execution;
  private volatile Map<PortId, String> beyond = Map.of();
  private ScheduledExecutorService executor;

  /**
   * Names that lead nowhere yet.
   *
   * @param own what the platform calls a port
   */
  public PortNames(
      Function<PortId, Optional<String>> own, TopologyService topology, Execution execution) {
    this.own = own;
    this.topology = topology;
    this.execution = execution;
  }

  public void start() {
    executor = execution.sequential("port-names");
    executor.scheduleWithFixedDelay(this::look, 0, PERIOD_SECONDS, SECONDS);
  }

  public void stop() {
    executor.shutdownNow();
  }

  /** Empty where the platform has no name. */
  public Optional<String> name(PortId port) {
    String there = beyond.get(port);
    return there == null ? own.apply(port) : own.apply(port).map(name -> name + " -> " + there);
  }

  private void look() {
    try {
      beyond = beyond(topology.topology());
    } catch (RuntimeException e) {
      // It would end the repetition.
      log.warn("Where ports lead was not looked up this time", e);
    }
  }

  private static Map<PortId, String> beyond(NetworkTopology now) {
    Map<String, String> switches =
        now.switches().stream()
            .collect(Collectors.toMap(SwitchStatus::datapath, SwitchStatus::name));
    Map<PortId, String> found = new HashMap<>();
    for (SwitchLink link : now.links()) {
      String there = link.target().datapath();
      found.put(link.source(), switches.getOrDefault(there, there));
    }
    Map<PortId, Integer> further = new HashMap<>();
    for (Attachment attachment : now.attachments()) {
      attachment
          .host()
          .ifPresent(
              host -> {
                if (found.putIfAbsent(attachment.port(), host.name()) != null) {
                  further.merge(attachment.port(), 1, Integer::sum);
                }
              });
    }
    further.forEach((port, count) -> found.merge(port, " +" + count, String::concat));
    return Map.copyOf(found);
  }
}
