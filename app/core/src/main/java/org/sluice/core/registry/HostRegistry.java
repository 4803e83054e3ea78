// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.registry;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.Host;
import org.sluice.api.HostDirectory;
import org.sluice.api.HostId;
import org.sluice.api.JournalEntry;
import org.sluice.api.MegabitRate;
import org.sluice.api.link.AgentLink;
import org.sluice.api.link.HostEvent;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.Quarantine;
import org.sluice.api.link.Refusal;
import org.sluice.api.link.UplinkHandler;
import org.sluice.core.journal.JournalWriter;
import org.sluice.core.runtime.Clock;

/** Follows the hosts whose agents connected, and writes their coming and going into the journal. */
public final class HostRegistry implements HostDirectory, UplinkHandler {
  private static final Logger log = LoggerFactory.getLogger(HostRegistry.class);

  private static final Duration LAST_SEEN_STEP = Duration.ofSeconds(1);

  private final AgentLink link;
  private final JournalWriter journal;
  private final Clock clock;
  private final IntSupplier leaseMillis;

  private final Map<HostId, Host> hosts = new ConcurrentSkipListMap<>();
  private final ResidualDrops residual = new ResidualDrops();

  /**
   * A registry.
   *
   * @param leaseMillis within which an agent that does not answer loses its session
   */
  public HostRegistry(AgentLink link, JournalWriter journal, Clock clock, IntSupplier leaseMillis) {
    this.leaseMillis = leaseMillis;
    this.link = link;
    this.journal = journal;
    this.clock = clock;
  }

  public void start() {
    link.addListener(this);
  }

  public void stop() {
    link.removeListener(this);
  }

  @Override
  public List<Host> hosts() {
    return hosts.values().stream().map(this::complete).collect(Collectors.toList());
  }

  @Override
  public Optional<Host> host(HostId id) {
    return Optional.ofNullable(hosts.get(id)).map(this::complete);
  }

  /** Has a host that is away be unknown. */
  void forget(HostId id) {
    hosts.computeIfPresent(id, (key, host) -> host.connected() ? host : null);
  }

  private Host complete(Host host) {
    return host.toBuilder()
        .lastSeen(lastSeen(host))
        .residualDroppedPackets(residual.packets(host.id()))
        .residualExceededBy(residual.lasting(host.id(), clock.nanoTime()))
        .build();
  }

  /** An idle host reports nothing for minutes; that its session is there shows that it answers. */
  private Instant lastSeen(Host host) {
    Instant answered = clock.instant().minusMillis(leaseMillis.getAsInt());
    return host.connected() && host.lastSeen().isBefore(answered) ? answered : host.lastSeen();
  }

  @Override
  public void sessionOpened(HostHello hello) {
    Host host =
        Host.builder(hello.host())
            .agentVersion(hello.agentVersion())
            .connected(true)
            .uplink(hello.uplink())
            .uplinkCapacityBitsPerSecond(hello.uplinkCapacityBitsPerSecond())
            .lastSeen(clock.instant())
            .endpointCount(hello.endpoints().size())
            .missingFeatures(kernelFeatures(hello))
            .switchPorts(hello.switchPorts())
            .certificateNotAfter(hello.certificateNotAfter())
            .build();
    residual.forget(hello.host());
    hosts.put(hello.host(), host);
    log.info("Host {} is connected: {}", host.id(), carried(host));
    host.missingFeatures().forEach(missing -> log.warn("Host {} lacks {}", host.id(), missing));
    journal.write(
        JournalEntry.Kind.HOST,
        "Host " + host.id() + " is connected",
        "agent " + host.agentVersion() + ", " + carried(host));
  }

  /** Without what is its operator's choice, which matters only where policies are in force. */
  private static List<String> kernelFeatures(HostHello hello) {
    return hello.missingFeatures().stream()
        .filter(missing -> !missing.startsWith(HostHello.HINTS_FEATURE))
        .collect(Collectors.toList());
  }

  /** What its agent maintains. */
  private String carried(Host host) {
    List<String> all = new ArrayList<>();
    if (!host.uplink().isEmpty()) {
      all.add(
          String.format(
              "uplink %s with %s, %d endpoint%s",
              host.uplink(),
              MegabitRate.text(host.uplinkCapacityBitsPerSecond()),
              host.endpointCount(),
              host.endpointCount() == 1 ? "" : "s"));
    }
    host.switchPorts().forEach(port -> all.add("queue of port " + journal.label(port)));
    return String.join(", ", all);
  }

  @Override
  public void observed(HostObservation observation) {
    reportReceived(observation.host());
    observation.endpoints().forEach(sample -> residual.observed(sample, clock.nanoTime()));
  }

  @Override
  public void portQueuesObserved(PortQueueObservation observation) {
    reportReceived(observation.host());
  }

  private void reportReceived(HostId id) {
    Host host = hosts.get(id);
    // Hosts report hundreds of times a second; it is rarely read.
    if (host != null && host.lastSeen().isBefore(clock.instant().minus(LAST_SEEN_STEP))) {
      touch(id, Host::toBuilder);
    }
  }

  @Override
  public void eventReported(HostEvent event) {
    if (event.kind() == HostEvent.Kind.ENDPOINTS_CHANGED) {
      touch(event.host(), host -> host.toBuilder().endpointCount(event.endpoints().size()));
      return;
    }
    if (event.kind() == HostEvent.Kind.CONDITIONS_CHANGED) {
      touch(event.host(), host -> host.toBuilder().conditions(event.conditions()));
      String now = event.conditions().isEmpty() ? "nothing" : String.join("; ", event.conditions());
      journal.write(JournalEntry.Kind.HOST, "Host " + event.host() + " reports faults", now);
      return;
    }
    if (event.kind() == HostEvent.Kind.LEAVING) {
      log.info("The agent of host {} is stopped", event.host());
      touch(event.host(), host -> host.toBuilder().stopped(true));
      journal.write(
          JournalEntry.Kind.HOST,
          "Host " + event.host() + " leaves",
          "its agent is stopped, and with it its limits");
      return;
    }
    log.warn("Host {}: {} {}", event.host(), event.kind(), event.detail());
    journal.write(
        JournalEntry.Kind.HOST, "Host " + event.host() + ": " + words(event), event.detail());
  }

  private static String words(HostEvent event) {
    switch (event.kind()) {
      case STALE_REFUSED:
        return "its agent ignored an outdated decision";
      case LEASE_EXPIRED:
        return "a controller's decisions have expired, since it sent nothing for its lease";
      case ENFORCEMENT_FAILED:
        return "its agent could not enforce a decision";
      case SPOOFED:
        return "an endpoint used an address or sent a packet that it may not";
      default:
        return event.kind().name();
    }
  }

  @Override
  public void sessionClosed(HostId id) {
    touch(id, host -> host.toBuilder().connected(false));
    log.info("Host {} is gone", id);
    journal.write(
        JournalEntry.Kind.HOST, "Host " + id + " is not connected any more", "its session ended");
  }

  @Override
  public void refused(Refusal refusal) {
    log.warn("Refused {}: {}", refusal.who(), refusal.reason());
    journal.write(
        JournalEntry.Kind.REFUSED, "Refused a message of " + refusal.who(), refusal.reason());
  }

  @Override
  public void quarantined(Quarantine quarantine) {
    HostId host = quarantine.host();
    boolean begins = !quarantine.reason().isEmpty();
    hosts.computeIfAbsent(host, HostRegistry::neverGreeted);
    touch(host, known -> known.toBuilder().quarantine(quarantine.reason()));
    if (begins) {
      log.warn("Host {} is in quarantine: {}", host, quarantine.reason());
    } else {
      log.info("The quarantine of host {} is over", host);
    }
    journal.write(
        JournalEntry.Kind.HOST,
        begins
            ? "Host " + host + " is in quarantine: its reports are ignored"
            : "The quarantine of host " + host + " is over",
        begins ? quarantine.reason() : "it has kept its limits since");
  }

  /** Its very hello exceeded a limit. */
  private static Host neverGreeted(HostId id) {
    return Host.builder(id)
        .agentVersion("")
        .connected(false)
        .uplink("")
        .uplinkCapacityBitsPerSecond(0)
        .lastSeen(Instant.EPOCH)
        .endpointCount(0)
        .build();
  }

  private void touch(HostId id, Function<Host, Host.Builder> change) {
    hosts.computeIfPresent(id, (key, host) -> change.apply(host).lastSeen(clock.instant()).build());
  }
}
