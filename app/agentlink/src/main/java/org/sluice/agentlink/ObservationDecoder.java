// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sluice.agentlink.proto.Observation;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.link.EndpointSample;
import org.sluice.api.link.GroupSample;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.PairSample;

/** Checks and decodes observations of the traffic of a host's endpoints. */
final class ObservationDecoder {
  static final int MAX_GROUPS = 64;
  private static final int MAX_NAME_LENGTH = 128;

  private final HostId host;
  private final OwnEndpoints own;
  private final AddressDecoder addresses;

  ObservationDecoder(HostId host, OwnEndpoints own, AddressDecoder addresses) {
    this.host = host;
    this.own = own;
    this.addresses = addresses;
  }

  HostObservation observation(Observation observation, long receivedNanos)
      throws BadMessageException {
    long interval = FieldChecks.interval(observation.getIntervalNanos());
    if (observation.getPairsCount() > HostLimits.PAIRS) {
      throw BadMessageException.overLimit(
          "pairs has "
              + observation.getPairsCount()
              + " entries; at most "
              + HostLimits.PAIRS
              + ": an agent of this release has no more");
    }
    FieldChecks.atMost("endpoints", observation.getEndpointsCount(), OwnEndpoints.MAX_ENDPOINTS);
    List<PairSample> pairs = new ArrayList<>(observation.getPairsCount());
    for (org.sluice.agentlink.proto.PairSample pair : observation.getPairsList()) {
      PairSample sample = pair(pair);
      if (concernsOwnEndpoints(sample)) {
        pairs.add(sample);
      } else {
        own.leaveOut(sample.source() + " to " + sample.destination());
      }
    }
    List<EndpointSample> endpoints = new ArrayList<>(observation.getEndpointsCount());
    for (org.sluice.agentlink.proto.EndpointSample endpoint : observation.getEndpointsList()) {
      endpoint(endpoint).ifPresent(endpoints::add);
    }
    return HostObservation.of(host, receivedNanos, interval, pairs, endpoints);
  }

  private PairSample pair(org.sluice.agentlink.proto.PairSample pair) throws BadMessageException {
    IpAddress source = addresses.address("pairs[].source", pair.getSource());
    IpAddress destination = addresses.address("pairs[].destination", pair.getDestination());
    if (source.isIpv4() != destination.isIpv4()) {
      throw BadMessageException.ignored(
          "pairs[] mixes IPv4 and IPv6: " + source + " to " + destination);
    }
    FieldChecks.notNegative("pairs[].sent_packets", pair.getSentPackets());
    FieldChecks.notNegative("pairs[].sent_bytes", pair.getSentBytes());
    FieldChecks.notNegative("pairs[].received_packets", pair.getReceivedPackets());
    FieldChecks.notNegative("pairs[].received_bytes", pair.getReceivedBytes());
    FieldChecks.notNegative("pairs[].ce_packets", pair.getCePackets());
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
        pair.getCePackets(),
        pair.getWaits());
  }

  /** Only a source's host can count what it sent, only a destination's what it received. */
  private boolean concernsOwnEndpoints(PairSample pair) {
    boolean sent = pair.sentPackets() > 0 || pair.sentBytes() > 0;
    boolean received = pair.receivedPackets() > 0 || pair.receivedBytes() > 0;
    return (!sent || own.has(pair.source())) && (!received || own.has(pair.destination()));
  }

  /** Empty if it is about an endpoint of another host. */
  private Optional<EndpointSample> endpoint(org.sluice.agentlink.proto.EndpointSample endpoint)
      throws BadMessageException {
    FieldChecks.notNegative("endpoints[].rate_bits_per_second", endpoint.getRateBitsPerSecond());
    FieldChecks.notNegative("endpoints[].backlog_bytes", endpoint.getBacklogBytes());
    FieldChecks.notNegative("endpoints[].dropped_packets", endpoint.getDroppedPackets());
    FieldChecks.notNegative("endpoints[].spoofed_packets", endpoint.getSpoofedPackets());
    FieldChecks.notNegative("endpoints[].forged_packets", endpoint.getForgedPackets());
    FieldChecks.notNegative("endpoints[].rogue_packets", endpoint.getRoguePackets());
    FieldChecks.notNegative(
        "endpoints[].residual_dropped_packets", endpoint.getResidualDroppedPackets());
    List<GroupSample> groups = groups(endpoint.getGroupsList());
    Optional<EndpointId> id = own.endpoint(endpoint.getInterface());
    if (id.isEmpty()) {
      own.leaveOut(AgentText.readable(endpoint.getInterface(), MAX_NAME_LENGTH));
    }
    return id.map(
        known ->
            EndpointSample.of(
                known,
                endpoint.getRateBitsPerSecond(),
                endpoint.getBacklogBytes(),
                endpoint.getDroppedPackets(),
                endpoint.getSpoofedPackets(),
                endpoint.getForgedPackets(),
                endpoint.getRoguePackets(),
                endpoint.getResidualDroppedPackets(),
                groups));
  }

  private static List<GroupSample> groups(List<org.sluice.agentlink.proto.GroupSample> groups)
      throws BadMessageException {
    FieldChecks.atMost("endpoints[].groups", groups.size(), MAX_GROUPS);
    List<GroupSample> result = new ArrayList<>(groups.size());
    for (org.sluice.agentlink.proto.GroupSample group : groups) {
      FieldChecks.notNegative(
          "endpoints[].groups[].rate_bits_per_second", group.getRateBitsPerSecond());
      FieldChecks.notNegative("endpoints[].groups[].sent_bytes", group.getSentBytes());
      double ceShare = group.getCeShare();
      if (!(ceShare >= 0 && ceShare <= 1)) {
        throw BadMessageException.ignored(
            "endpoints[].groups[].ce_share is " + ceShare + "; expected 0 to 1");
      }
      // The group without a port is the traffic to destinations behind no congested port.
      if (!group.getPort().isEmpty()) {
        result.add(
            GroupSample.of(
                FieldChecks.port("endpoints[].groups[].port", group.getPort()),
                group.getRateBitsPerSecond(),
                ceShare,
                group.getSentBytes()));
      }
    }
    return result;
  }
}
