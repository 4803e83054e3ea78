// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import io.grpc.Status;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.sluice.agentlink.proto.PortObservation;
import org.sluice.api.HostId;
import org.sluice.api.PortId;
import org.sluice.api.link.BackgroundQueueSample;
import org.sluice.api.link.LevelQueueSample;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.PortQueueSample;

/**
 * Checks and decodes observations of the switch ports whose queues an agent keeps, and of its own
 * host's receive ports. Its certificate lists the switches that it may report about, its Hello the
 * ports.
 */
final class PortQueueDecoder {
  static final int MAX_PORTS = 1024;
  static final int MAX_LEVELS = 4;
  static final int MAX_BACKGROUND_QUEUES = 256;
  private static final int MAX_PORT_LENGTH = 128;
  private static final int MAX_BUFFER_PACKETS = 100_000;

  private final HostId host;
  private final Set<String> switches;
  private final OwnEndpoints own;
  private final String receiverPrefix;

  /** The interface towards the network; empty for a host without endpoints. */
  private String uplink = "";

  /** By name: receive ports that were reported. */
  private final Map<String, PortId> receivers = new HashMap<>();

  /** By their names: also spares a new identifier for every sample. */
  private Map<String, PortId> ports = Map.of();

  /**
   * For one session.
   *
   * @param switches the datapath ids that the agent's certificate carries
   */
  PortQueueDecoder(HostId host, Set<String> switches, OwnEndpoints own) {
    this.host = host;
    this.switches = switches;
    this.own = own;
    this.receiverPrefix = PortId.ofReceiver(host, "x").datapath() + "/";
  }

  /** Takes the interface by which packets come to the host. */
  void receiveOver(String interfaceName) {
    uplink = interfaceName;
  }

  /** Decodes the ports of a Hello, the only ones of which observations are accepted. */
  List<PortId> ports(List<String> names) throws BadMessageException {
    FieldChecks.atMost("switch_ports", names.size(), MAX_PORTS);
    Map<String, PortId> named = new LinkedHashMap<>();
    for (String name : names) {
      PortId port = FieldChecks.port("switch_ports", name);
      if (!switches.contains(port.datapath())) {
        throw BadMessageException.fatal(
            Status.PERMISSION_DENIED.withDescription(
                "the agent reports that it keeps the queue of port "
                    + port
                    + ", but its certificate names "
                    + (switches.isEmpty()
                        ? "no switch"
                        : "only the switches " + new TreeSet<>(switches))
                    + "; give it one with the subject alternative name URI:"
                    + PeerIdentity.SWITCH_PREFIX
                    + port.datapath()));
      }
      if (named.put(name, port) != null) {
        throw BadMessageException.ignored("switch_ports '" + name + "' occurs twice");
      }
    }
    ports = named;
    return List.copyOf(named.values());
  }

  PortQueueObservation observation(PortObservation observation, long receivedNanos)
      throws BadMessageException {
    long interval = FieldChecks.interval(observation.getIntervalNanos());
    List<PortQueueSample> samples = new ArrayList<>(observation.getPortsCount());
    Set<PortId> seen = new HashSet<>();
    for (org.sluice.agentlink.proto.PortQueueSample sample : observation.getPortsList()) {
      Optional<PortId> port = observed(sample.getPort());
      if (port.isEmpty()) {
        own.leaveOut(AgentText.readable(sample.getPort(), MAX_PORT_LENGTH));
        continue;
      }
      PortQueueSample decoded = sample(port.get(), sample);
      if (!seen.add(decoded.port())) {
        throw BadMessageException.ignored("ports[].port '" + decoded.port() + "' occurs twice");
      }
      samples.add(decoded);
    }
    return PortQueueObservation.of(host, receivedNanos, interval, samples);
  }

  /** Empty for the receive port of an interface that is none of the host's, or not any more. */
  private Optional<PortId> observed(String name) throws BadMessageException {
    if (!name.startsWith(receiverPrefix)) {
      return Optional.of(port("ports[].port", name));
    }
    String interfaceName = name.substring(receiverPrefix.length());
    if (!interfaceName.equals(uplink) && own.endpoint(interfaceName).isEmpty()) {
      receivers.remove(name);
      return Optional.empty();
    }
    return Optional.of(
        receivers.computeIfAbsent(name, n -> PortId.ofReceiver(host, interfaceName)));
  }

  private static PortQueueSample sample(
      PortId port, org.sluice.agentlink.proto.PortQueueSample sample) throws BadMessageException {
    FieldChecks.notNegative("ports[].sent_packets", sample.getSentPackets());
    FieldChecks.notNegative("ports[].sent_bytes", sample.getSentBytes());
    FieldChecks.notNegative("ports[].marked_packets", sample.getMarkedPackets());
    FieldChecks.notNegative("ports[].over_threshold_packets", sample.getOverThresholdPackets());
    FieldChecks.notNegative("ports[].dropped_packets", sample.getDroppedPackets());
    FieldChecks.notNegative("ports[].backlog_packets", sample.getBacklogPackets());
    FieldChecks.notNegative("ports[].backlog_bytes", sample.getBacklogBytes());
    if (sample.getMarkedPackets() > sample.getOverThresholdPackets()) {
      throw BadMessageException.ignored(
          "ports[].marked_packets is "
              + sample.getMarkedPackets()
              + ", more than the "
              + sample.getOverThresholdPackets()
              + " that were over the threshold");
    }
    PortQueueSample decoded =
        PortQueueSample.of(
            port,
            sample.getSentPackets(),
            sample.getSentBytes(),
            sample.getMarkedPackets(),
            sample.getOverThresholdPackets(),
            sample.getDroppedPackets(),
            sample.getBacklogPackets(),
            sample.getBacklogBytes());
    int buffer = sample.getBufferPackets();
    if (buffer < 0 || buffer > MAX_BUFFER_PACKETS) {
      throw BadMessageException.ignored(
          "ports[].buffer_packets is "
              + Integer.toUnsignedString(buffer)
              + "; expected 0 to "
              + MAX_BUFFER_PACKETS);
    }
    int threshold = sample.getMarkThresholdPackets();
    if (threshold < 0 || threshold > MAX_BUFFER_PACKETS) {
      throw BadMessageException.ignored(
          "ports[].mark_threshold_packets is "
              + Integer.toUnsignedString(threshold)
              + "; expected 0 to "
              + MAX_BUFFER_PACKETS);
    }
    if (threshold > 0) {
      decoded = decoded.withMarkThreshold(threshold);
    }
    return buffer == 0 && sample.getLevelsCount() == 0 && sample.getBackgroundCount() == 0
        ? decoded
        : decoded.with(buffer, levels(sample), background(sample));
  }

  private static List<LevelQueueSample> levels(org.sluice.agentlink.proto.PortQueueSample sample)
      throws BadMessageException {
    FieldChecks.atMost("ports[].levels", sample.getLevelsCount(), MAX_LEVELS);
    List<LevelQueueSample> levels = new ArrayList<>(sample.getLevelsCount());
    for (org.sluice.agentlink.proto.LevelQueueSample level : sample.getLevelsList()) {
      FieldChecks.notNegative("ports[].levels[].sent_packets", level.getSentPackets());
      FieldChecks.notNegative("ports[].levels[].sent_bytes", level.getSentBytes());
      FieldChecks.notNegative("ports[].levels[].dropped_packets", level.getDroppedPackets());
      FieldChecks.notNegative("ports[].levels[].backlog_packets", level.getBacklogPackets());
      levels.add(
          LevelQueueSample.of(
              level.getSentPackets(),
              level.getSentBytes(),
              level.getDroppedPackets(),
              level.getBacklogPackets()));
    }
    return levels;
  }

  private static List<BackgroundQueueSample> background(
      org.sluice.agentlink.proto.PortQueueSample sample) throws BadMessageException {
    FieldChecks.atMost("ports[].background", sample.getBackgroundCount(), MAX_BACKGROUND_QUEUES);
    List<BackgroundQueueSample> queues = new ArrayList<>(sample.getBackgroundCount());
    for (org.sluice.agentlink.proto.BackgroundQueueSample queue : sample.getBackgroundList()) {
      PortId downstream =
          FieldChecks.port("ports[].background[].downstream", queue.getDownstream());
      FieldChecks.notNegative("ports[].background[].sent_bytes", queue.getSentBytes());
      FieldChecks.notNegative("ports[].background[].dropped_packets", queue.getDroppedPackets());
      FieldChecks.notNegative("ports[].background[].backlog_packets", queue.getBacklogPackets());
      FieldChecks.notNegative(
          "ports[].background[].cap_bits_per_second", queue.getCapBitsPerSecond());
      queues.add(
          BackgroundQueueSample.of(
              downstream,
              queue.getSentBytes(),
              queue.getDroppedPackets(),
              queue.getBacklogPackets(),
              queue.getCapBitsPerSecond()));
    }
    return queues;
  }

  /** A port that the agent's Hello named. */
  PortId port(String field, String name) throws BadMessageException {
    PortId port = ports.get(name);
    if (port == null) {
      throw BadMessageException.ignored(
          field
              + " is '"
              + AgentText.readable(name, MAX_PORT_LENGTH)
              + "', which the agent's Hello did not name");
    }
    return port;
  }
}
