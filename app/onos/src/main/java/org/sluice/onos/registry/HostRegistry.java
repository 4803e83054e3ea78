// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.registry;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Function;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.Host;
import org.sluice.api.HostDirectory;
import org.sluice.api.HostId;
import org.sluice.api.JournalEntry;
import org.sluice.api.link.AgentLink;
import org.sluice.api.link.HostEvent;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.Refusal;
import org.sluice.api.link.UplinkHandler;
import org.sluice.onos.journal.Chronicle;

/** Follows the hosts whose agents called, and writes their coming and going into the journal. */
@Component(immediate = true, service = HostDirectory.class)
public class HostRegistry implements HostDirectory, UplinkHandler {
  private static final Logger log = LoggerFactory.getLogger(HostRegistry.class);

  private static final Duration LAST_SEEN_STEP = Duration.ofSeconds(1);

  @Reference AgentLink link;
  @Reference Chronicle chronicle;

  private final Map<HostId, Host> hosts = new ConcurrentSkipListMap<>();

  @Activate
  void activate() {
    link.addListener(this);
  }

  @Deactivate
  void deactivate() {
    link.removeListener(this);
  }

  @Override
  public List<Host> hosts() {
    return new ArrayList<>(hosts.values());
  }

  @Override
  public Optional<Host> host(HostId id) {
    return Optional.ofNullable(hosts.get(id));
  }

  @Override
  public void sessionOpened(HostHello hello) {
    Host host =
        Host.builder(hello.host())
            .agentVersion(hello.agentVersion())
            .connected(true)
            .uplink(hello.uplink())
            .uplinkCapacityBitsPerSecond(hello.uplinkCapacityBitsPerSecond())
            .lastSeen(Instant.now())
            .endpointCount(hello.endpoints().size())
            .missingFeatures(hello.missingFeatures())
            .switchPorts(hello.switchPorts())
            .build();
    hosts.put(hello.host(), host);
    log.info("Host {} is connected: {}", host.id(), carried(host));
    hello.missingFeatures().forEach(missing -> log.warn("Host {} lacks {}", host.id(), missing));
    chronicle.write(
        JournalEntry.Kind.HOST,
        "Host " + host.id() + " is connected",
        "agent " + host.agentVersion() + ", " + carried(host));
  }

  /** What its agent looks after. */
  private static String carried(Host host) {
    List<String> all = new ArrayList<>();
    if (!host.uplink().isEmpty()) {
      all.add(
          String.format(
              "uplink %s with %d bit/s, %d endpoints",
              host.uplink(), host.uplinkCapacityBitsPerSecond(), host.endpointCount()));
    }
    host.switchPorts().forEach(port -> all.add("queue of port " + port));
    return String.join(", ", all);
  }

  @Override
  public void observed(HostObservation observation) {
    heardOf(observation.host());
  }

  @Override
  public void portQueuesObserved(PortQueueObservation observation) {
    heardOf(observation.host());
  }

  private void heardOf(HostId id) {
    Host host = hosts.get(id);
    // Hosts report hundreds of times a second; nobody looks that often.
    if (host != null && host.lastSeen().isBefore(Instant.now().minus(LAST_SEEN_STEP))) {
      touch(id, Host::toBuilder);
    }
  }

  @Override
  public void eventReported(HostEvent event) {
    if (event.kind() == HostEvent.Kind.ENDPOINTS_CHANGED) {
      touch(event.host(), host -> host.toBuilder().endpointCount(event.endpoints().size()));
      return;
    }
    log.warn("Host {}: {} {}", event.host(), event.kind(), event.detail());
    chronicle.write(
        JournalEntry.Kind.HOST, "Host " + event.host() + ": " + event.kind(), event.detail());
  }

  @Override
  public void sessionClosed(HostId id) {
    touch(id, host -> host.toBuilder().connected(false));
    log.info("Host {} is gone", id);
    chronicle.write(
        JournalEntry.Kind.HOST, "Host " + id + " is not connected any more", "its session ended");
  }

  @Override
  public void refused(Refusal refusal) {
    log.warn("Refused {}: {}", refusal.who(), refusal.reason());
    chronicle.write(
        JournalEntry.Kind.REFUSED, "Refused what " + refusal.who() + " said", refusal.reason());
  }

  private void touch(HostId id, Function<Host, Host.Builder> change) {
    hosts.computeIfPresent(id, (key, host) -> change.apply(host).lastSeen(Instant.now()).build());
  }
}
