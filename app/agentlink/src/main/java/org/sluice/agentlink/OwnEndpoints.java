// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.sluice.agentlink.proto.Endpoint;
import org.sluice.api.EndpointId;
import org.sluice.api.EndpointMetadata;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.SluiceException;
import org.sluice.api.link.ReportedEndpoint;

/**
 * The endpoints of a session's host, the only ones that its agent may report about. A well-formed
 * sample about any other is left out alone and counted: it may be the last of an endpoint that was
 * just removed.
 */
final class OwnEndpoints {
  static final int MAX_ENDPOINTS = 4096;
  private static final int MAX_IPS = 256;

  /** Of a name, for messages. */
  private static final int MAX_NAME = 64;

  private final HostId host;
  private final AddressDecoder addresses;
  private final HostCounters counters;

  /** By interface: also spares a new identifier for every sample. */
  private Map<String, EndpointId> byInterface = Map.of();

  private Set<IpAddress> ips = Set.of();
  private String firstForeign;
  private boolean foreignReported;

  OwnEndpoints(HostId host, AddressDecoder addresses, HostCounters counters) {
    this.host = host;
    this.addresses = addresses;
    this.counters = counters;
  }

  /** Decodes the full list of the host's endpoints, which replaces the one before. */
  List<ReportedEndpoint> replace(List<Endpoint> endpoints) throws BadMessageException {
    FieldChecks.atMost("endpoints", endpoints.size(), MAX_ENDPOINTS);
    List<ReportedEndpoint> result = new ArrayList<>(endpoints.size());
    Map<String, EndpointId> newByInterface = new HashMap<>();
    Set<IpAddress> newIps = new HashSet<>();
    checkAddresses(endpoints);
    for (Endpoint endpoint : endpoints) {
      String name = FieldChecks.interfaceName("endpoints[].interface", endpoint.getInterface());
      EndpointId id = EndpointId.of(host, name);
      if (newByInterface.put(name, id) != null) {
        throw BadMessageException.ignored("endpoints[].interface '" + name + "' occurs twice");
      }
      Set<IpAddress> itsIps = ips(endpoint);
      newIps.addAll(itsIps);
      result.add(
          ReportedEndpoint.of(
                  id,
                  FieldChecks.mac("endpoints[].mac", endpoint.getMac()),
                  itsIps,
                  learned(endpoint, itsIps))
              .withMetadata(metadata(endpoint)));
    }
    byInterface = newByInterface;
    ips = newIps;
    return result;
  }

  /** Before any of them is evaluated: it may be a million. */
  private static void checkAddresses(List<Endpoint> endpoints) throws BadMessageException {
    long addresses = 0;
    for (Endpoint endpoint : endpoints) {
      addresses += endpoint.getIpsCount();
    }
    if (addresses > HostLimits.ADDRESSES) {
      throw BadMessageException.overLimit(
          "endpoints[].ips are "
              + addresses
              + " addresses; a host may have "
              + HostLimits.ADDRESSES
              + ": give its interfaces fewer, or spread them over more hosts");
    }
  }

  private Set<IpAddress> ips(Endpoint endpoint) throws BadMessageException {
    FieldChecks.atMost("endpoints[].ips", endpoint.getIpsCount(), MAX_IPS);
    Set<IpAddress> result = new HashSet<>();
    for (ByteString ip : endpoint.getIpsList()) {
      result.add(addresses.address("endpoints[].ips", ip));
    }
    return result;
  }

  private Set<IpAddress> learned(Endpoint endpoint, Set<IpAddress> all) throws BadMessageException {
    FieldChecks.atMost("endpoints[].learned_ips", endpoint.getLearnedIpsCount(), MAX_IPS);
    Set<IpAddress> result = new HashSet<>();
    for (ByteString ip : endpoint.getLearnedIpsList()) {
      IpAddress address = addresses.address("endpoints[].learned_ips", ip);
      if (!all.contains(address)) {
        throw BadMessageException.ignored(
            "endpoints[].learned_ips has " + address + ", which is not among its ips");
      }
      result.add(address);
    }
    return result;
  }

  private static EndpointMetadata metadata(Endpoint endpoint) throws BadMessageException {
    if (!endpoint.hasMetadata()) {
      return EndpointMetadata.NONE;
    }
    org.sluice.agentlink.proto.EndpointMetadata sent = endpoint.getMetadata();
    try {
      return EndpointMetadata.builder()
          .bridge(given(sent.getBridge()))
          .vlan(Optional.of(sent.getVlan()).filter(vlan -> vlan != 0))
          .domain(given(sent.getDomain()))
          .network(given(sent.getNetwork()))
          .namespace(given(sent.getNamespace()))
          .pod(given(sent.getPod()))
          .labels(sent.getLabelsMap())
          .checked("endpoints[].metadata.");
    } catch (SluiceException e) {
      throw BadMessageException.ignored(
          e.field().orElseThrow()
              + " '"
              + AgentText.readable(e.value(), MAX_NAME)
              + "': "
              + e.getMessage());
    }
  }

  private static Optional<String> given(String text) {
    return Optional.of(text).filter(name -> !name.isEmpty());
  }

  Optional<EndpointId> endpoint(String interfaceName) {
    return Optional.ofNullable(byInterface.get(interfaceName));
  }

  boolean has(IpAddress address) {
    return ips.contains(address);
  }

  /** Counts a sample about an endpoint that is not this host's. */
  void leaveOut(String about) {
    counters.foreignSamples.increment();
    if (firstForeign == null) {
      firstForeign = about;
    }
  }

  /** What the first sample was about that was left out; present once. */
  Optional<String> takeFirstForeign() {
    if (firstForeign == null || foreignReported) {
      return Optional.empty();
    }
    foreignReported = true;
    return Optional.of(firstForeign);
  }
}
