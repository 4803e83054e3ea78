// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.sluice.agentlink.proto.Endpoint;
import org.sluice.agentlink.proto.Event;
import org.sluice.agentlink.proto.Feature;
import org.sluice.agentlink.proto.Hello;
import org.sluice.agentlink.proto.Observation;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;
import org.sluice.api.Tenant;
import org.sluice.api.link.EndpointSample;
import org.sluice.api.link.GroupSample;
import org.sluice.api.link.HostEvent;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.PairSample;
import org.sluice.api.link.ReportedEndpoint;

/**
 * Checks and converts what one host's agent says. Trusts nothing: a host that was taken over may
 * harm itself, but speaks only for its own endpoints and costs bounded memory.
 *
 * <p>A malformed message is refused whole. A well-formed sample about an address or interface that
 * is not the host's is left out alone and counted: it may be the last of an endpoint that just
 * went.
 */
final class InboundReader {
  static final int PROTOCOL_VERSION = 1;
  static final int MAX_ENDPOINTS = 4096;
  static final int MAX_IPS = 256;
  static final int MAX_FEATURES = 256;
  static final int MAX_PAIRS = 65_536;
  static final long MAX_INTERVAL_NANOS = 600_000_000_000L;
  static final int MAX_GROUPS = 64;
  private static final int MAX_PORT_LENGTH = 128;
  private static final int MAX_VERSION_LENGTH = 128;
  private static final int MAX_DETAIL_LENGTH = 512;
  private static final int MAX_CACHED_ADDRESSES = 16_384;

  private final HostId host;
  private final PortQueueReader queues;
  private final HostCounters counters;

  /** Own endpoints by interface: also spares a new identifier for every sample. */
  private Map<String, EndpointId> ownEndpoints = Map.of();

  private Set<IpAddress> ownAddresses = Set.of();
  private final Map<ByteString, IpAddress> addresses = new HashMap<>();
  private String firstForeign;
  private boolean foreignTold;

  InboundReader(HostId host, PortQueueReader queues, HostCounters counters) {
    this.host = host;
    this.queues = queues;
    this.counters = counters;
  }

  HostHello hello(Hello hello) throws BadMessageException {
    if (hello.getProtocolVersion() != PROTOCOL_VERSION) {
      throw BadMessageException.fatal(
          Status.FAILED_PRECONDITION.withDescription(
              "the agent speaks version "
                  + Integer.toUnsignedString(hello.getProtocolVersion())
                  + " of the agent link, this controller version "
                  + PROTOCOL_VERSION
                  + "; install an agent and a controller of the same release"));
    }
    if (!hello.getHost().equals(host.name())) {
      throw BadMessageException.fatal(
          Status.PERMISSION_DENIED.withDescription(
              "the agent says it is host '"
                  + AgentText.readable(hello.getHost(), MAX_VERSION_LENGTH)
                  + "', but its certificate is for '"
                  + host
                  + "'; set 'host: "
                  + host
                  + "' in the agent's configuration or give it the right certificate"));
    }
    try {
      return checked(hello);
    } catch (BadMessageException e) {
      if (e.closing().isPresent()) {
        throw e;
      }
      // Without a hello there is nothing to go on with.
      throw BadMessageException.fatal(
          Status.INVALID_ARGUMENT.withDescription("malformed Hello: " + e.getMessage()));
    }
  }

  private HostHello checked(Hello hello) throws BadMessageException {
    String version = AgentText.readable(hello.getAgentVersion(), MAX_VERSION_LENGTH);
    List<PortId> ports = queues.ports(hello.getSwitchPortsList());
    List<String> missing = missingFeatures(hello.getFeaturesList());
    if (!hello.hasUplink() && !ports.isEmpty() && hello.getEndpointsCount() == 0) {
      return HostHello.ofPortAgent(host, version, missing, ports);
    }
    long capacity = hello.getUplink().getCapacityBitsPerSecond();
    if (capacity <= 0 || capacity > Tenant.MAX_RATE_BITS_PER_SECOND) {
      throw BadMessageException.ignored(
          "uplink.capacity_bits_per_second is "
              + Long.toUnsignedString(capacity)
              + "; expected 1 to "
              + Tenant.MAX_RATE_BITS_PER_SECOND);
    }
    return HostHello.of(
        host,
        version,
        interfaceName("uplink.interface", hello.getUplink().getInterface()),
        mac("uplink.mac", hello.getUplink().getMac()),
        capacity,
        ownEndpoints(hello.getEndpointsList()),
        missing,
        ports);
  }

  HostObservation observation(Observation observation, long receivedNanos)
      throws BadMessageException {
    long interval = observation.getIntervalNanos();
    if (interval <= 0 || interval > MAX_INTERVAL_NANOS) {
      throw BadMessageException.ignored(
          "interval_nanos is " + Long.toUnsignedString(interval) + "; expected up to 10 minutes");
    }
    atMost("pairs", observation.getPairsCount(), MAX_PAIRS);
    atMost("endpoints", observation.getEndpointsCount(), MAX_ENDPOINTS);
    List<PairSample> pairs = new ArrayList<>(observation.getPairsCount());
    for (org.sluice.agentlink.proto.PairSample pair : observation.getPairsList()) {
      PairSample sample = pair(pair);
      if (concernsOwnEndpoints(sample)) {
        pairs.add(sample);
      } else {
        leaveOut(sample.source() + " to " + sample.destination());
      }
    }
    List<EndpointSample> endpoints = new ArrayList<>(observation.getEndpointsCount());
    for (org.sluice.agentlink.proto.EndpointSample endpoint : observation.getEndpointsList()) {
      notNegative("endpoints[].rate_bits_per_second", endpoint.getRateBitsPerSecond());
      notNegative("endpoints[].backlog_bytes", endpoint.getBacklogBytes());
      notNegative("endpoints[].dropped_packets", endpoint.getDroppedPackets());
      notNegative("endpoints[].spoofed_packets", endpoint.getSpoofedPackets());
      notNegative("endpoints[].forged_packets", endpoint.getForgedPackets());
      List<GroupSample> groups = groups(endpoint.getGroupsList());
      EndpointId id = ownEndpoints.get(endpoint.getInterface());
      if (id == null) {
        leaveOut(AgentText.readable(endpoint.getInterface(), MAX_VERSION_LENGTH));
        continue;
      }
      endpoints.add(
          EndpointSample.of(
              id,
              endpoint.getRateBitsPerSecond(),
              endpoint.getBacklogBytes(),
              endpoint.getDroppedPackets(),
              endpoint.getSpoofedPackets(),
              endpoint.getForgedPackets(),
              groups));
    }
    return HostObservation.of(host, receivedNanos, interval, pairs, endpoints);
  }

  private static List<GroupSample> groups(List<org.sluice.agentlink.proto.GroupSample> groups)
      throws BadMessageException {
    atMost("endpoints[].groups", groups.size(), MAX_GROUPS);
    List<GroupSample> result = new ArrayList<>(groups.size());
    for (org.sluice.agentlink.proto.GroupSample group : groups) {
      notNegative("endpoints[].groups[].rate_bits_per_second", group.getRateBitsPerSecond());
      notNegative("endpoints[].groups[].sent_bytes", group.getSentBytes());
      double ceShare = group.getCeShare();
      if (!(ceShare >= 0 && ceShare <= 1)) {
        throw BadMessageException.ignored(
            "endpoints[].groups[].ce_share is " + ceShare + "; expected 0 to 1");
      }
      // Without a port it is what the endpoint sends to places behind no congested port.
      if (!group.getPort().isEmpty()) {
        result.add(
            GroupSample.of(
                port("endpoints[].groups[].port", group.getPort()),
                group.getRateBitsPerSecond(),
                ceShare,
                group.getSentBytes()));
      }
    }
    return result;
  }

  static PortId port(String field, String text) throws BadMessageException {
    String readable = AgentText.readable(text, MAX_PORT_LENGTH);
    try {
      if (readable.equals(text)) {
        return PortId.parse(text);
      }
    } catch (IllegalArgumentException e) {
      // Said below.
    }
    throw BadMessageException.ignored(
        field + " is '" + readable + "'; expected a form like of:0000000000000001/5");
  }

  HostEvent event(Event event) throws BadMessageException {
    String detail = AgentText.readable(event.getDetail(), MAX_DETAIL_LENGTH);
    HostEvent.Kind kind;
    switch (event.getKind()) {
      case ENDPOINTS_CHANGED:
        return HostEvent.of(
            host, HostEvent.Kind.ENDPOINTS_CHANGED, detail, ownEndpoints(event.getEndpointsList()));
      case STALE_REFUSED:
        kind = HostEvent.Kind.STALE_REFUSED;
        break;
      case LEASE_EXPIRED:
        kind = HostEvent.Kind.LEASE_EXPIRED;
        break;
      case ENFORCEMENT_FAILED:
        kind = HostEvent.Kind.ENFORCEMENT_FAILED;
        break;
      case SPOOFED:
        kind = HostEvent.Kind.SPOOFED;
        break;
      default:
        throw BadMessageException.ignored("event of unknown kind " + event.getKindValue());
    }
    return HostEvent.of(host, kind, detail, List.of());
  }

  private PairSample pair(org.sluice.agentlink.proto.PairSample pair) throws BadMessageException {
    IpAddress source = address("pairs[].source", pair.getSource());
    IpAddress destination = address("pairs[].destination", pair.getDestination());
    if (source.isIpv4() != destination.isIpv4()) {
      throw BadMessageException.ignored(
          "pairs[] mixes IPv4 and IPv6: " + source + " to " + destination);
    }
    notNegative("pairs[].sent_packets", pair.getSentPackets());
    notNegative("pairs[].sent_bytes", pair.getSentBytes());
    notNegative("pairs[].received_packets", pair.getReceivedPackets());
    notNegative("pairs[].received_bytes", pair.getReceivedBytes());
    notNegative("pairs[].ce_packets", pair.getCePackets());
    if (pair.getCePackets() > pair.getReceivedPackets()) {
      throw BadMessageException.ignored(
          "pairs[].ce_packets is "
              + pair.getCePackets()
              + ", more than the "
              + pair.getReceivedPackets()
              + " received packets");
    }
    return PairSample.of(
        source,
        destination,
        pair.getSentPackets(),
        pair.getSentBytes(),
        pair.getReceivedPackets(),
        pair.getReceivedBytes(),
        pair.getCePackets());
  }

  /** Counts a sample that is not about this host. */
  void leaveOut(String about) {
    counters.foreignSamples.increment();
    if (firstForeign == null) {
      firstForeign = about;
    }
  }

  /** What the first sample was about that was left out as foreign; told once. */
  Optional<String> takeFirstForeign() {
    if (firstForeign == null || foreignTold) {
      return Optional.empty();
    }
    foreignTold = true;
    return Optional.of(firstForeign);
  }

  /** Only a source's host saw it send, only a destination's host saw it receive. */
  private boolean concernsOwnEndpoints(PairSample pair) {
    boolean sent = pair.sentPackets() > 0 || pair.sentBytes() > 0;
    boolean received = pair.receivedPackets() > 0 || pair.receivedBytes() > 0;
    return (!sent || ownAddresses.contains(pair.source()))
        && (!received || ownAddresses.contains(pair.destination()));
  }

  /** Reads the full list of the host's endpoints, which samples are judged by from now on. */
  private List<ReportedEndpoint> ownEndpoints(List<Endpoint> endpoints) throws BadMessageException {
    atMost("endpoints", endpoints.size(), MAX_ENDPOINTS);
    List<ReportedEndpoint> result = new ArrayList<>(endpoints.size());
    Map<String, EndpointId> byInterface = new HashMap<>();
    Set<IpAddress> allAddresses = new HashSet<>();
    for (Endpoint endpoint : endpoints) {
      String name = interfaceName("endpoints[].interface", endpoint.getInterface());
      EndpointId id = EndpointId.of(host, name);
      if (byInterface.put(name, id) != null) {
        throw BadMessageException.ignored("endpoints[].interface '" + name + "' occurs twice");
      }
      atMost("endpoints[].ips", endpoint.getIpsCount(), MAX_IPS);
      Set<IpAddress> ips = new HashSet<>();
      for (ByteString ip : endpoint.getIpsList()) {
        ips.add(address("endpoints[].ips", ip));
      }
      allAddresses.addAll(ips);
      result.add(ReportedEndpoint.of(id, mac("endpoints[].mac", endpoint.getMac()), ips));
    }
    ownEndpoints = byInterface;
    ownAddresses = allAddresses;
    return result;
  }

  private static List<String> missingFeatures(List<Feature> features) throws BadMessageException {
    atMost("features", features.size(), MAX_FEATURES);
    List<String> missing = new ArrayList<>();
    for (Feature feature : features) {
      if (!feature.getPresent()) {
        String detail = feature.getDetail().isEmpty() ? "" : ": " + feature.getDetail();
        missing.add(AgentText.readable(feature.getName() + detail, MAX_DETAIL_LENGTH));
      }
    }
    return missing;
  }

  boolean isOwn(IpAddress address) {
    return ownAddresses.contains(address);
  }

  IpAddress address(String field, ByteString bytes) throws BadMessageException {
    IpAddress known = addresses.get(bytes);
    if (known != null) {
      return known;
    }
    if (bytes.size() != 4 && bytes.size() != 16) {
      throw BadMessageException.ignored(
          field + " has " + bytes.size() + " bytes; an IP address has 4 or 16");
    }
    if (addresses.size() >= MAX_CACHED_ADDRESSES) {
      addresses.clear();
    }
    // A ByteString of a received message may hold on to the whole message: keep a copy.
    byte[] copy = bytes.toByteArray();
    IpAddress address = IpAddress.of(copy);
    addresses.put(ByteString.copyFrom(copy), address);
    return address;
  }

  private static MacAddress mac(String field, ByteString bytes) throws BadMessageException {
    if (bytes.size() != 6) {
      throw BadMessageException.ignored(
          field + " has " + bytes.size() + " bytes; an Ethernet address has 6");
    }
    return MacAddress.of(bytes.toByteArray());
  }

  private static String interfaceName(String field, String name) throws BadMessageException {
    if (!AgentText.isInterfaceName(name)) {
      throw BadMessageException.ignored(
          field
              + " is '"
              + AgentText.readable(name, MAX_VERSION_LENGTH)
              + "'; an interface has 1 to 15 visible characters and no slash");
    }
    return name;
  }

  static void atMost(String field, int count, int most) throws BadMessageException {
    if (count > most) {
      throw BadMessageException.ignored(field + " has " + count + " entries; at most " + most);
    }
  }

  static void notNegative(String field, long value) throws BadMessageException {
    if (value < 0) {
      throw BadMessageException.ignored(
          field + " is " + Long.toUnsignedString(value) + "; expected less than 2^63");
    }
  }
}
