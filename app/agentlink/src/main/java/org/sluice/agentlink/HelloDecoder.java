// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import org.sluice.agentlink.proto.Feature;
import org.sluice.agentlink.proto.Hello;
import org.sluice.api.HostId;
import org.sluice.api.PortId;
import org.sluice.api.Tenant;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.PeerPublicKey;

/** Checks and decodes the message that opens a session: is it this host, and what does it have. */
final class HelloDecoder {
  static final int PROTOCOL_VERSION = 1;
  static final int MAX_FEATURES = 256;
  private static final int MAX_NAME_LENGTH = 128;
  private static final int MAX_DETAIL_LENGTH = 512;

  private final HostId host;
  private final OwnEndpoints endpoints;
  private final PortQueueDecoder queues;

  HelloDecoder(HostId host, OwnEndpoints endpoints, PortQueueDecoder queues) {
    this.host = host;
    this.endpoints = endpoints;
    this.queues = queues;
  }

  HostHello hello(Hello hello) throws BadMessageException {
    if (hello.getProtocolVersion() != PROTOCOL_VERSION) {
      throw BadMessageException.fatal(
          Status.FAILED_PRECONDITION.withDescription(
              "the agent uses version "
                  + Integer.toUnsignedString(hello.getProtocolVersion())
                  + " of the agent link, this controller version "
                  + PROTOCOL_VERSION
                  + "; install an agent and a controller of the same release"));
    }
    if (!hello.getHost().equals(host.name())) {
      throw BadMessageException.fatal(
          Status.PERMISSION_DENIED.withDescription(
              "the agent reports that it is host '"
                  + AgentText.readable(hello.getHost(), MAX_NAME_LENGTH)
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
      if (e.isOverLimit()) {
        throw e.ending();
      }
      // Without a hello there is no session.
      throw BadMessageException.fatal(
          Status.INVALID_ARGUMENT.withDescription("malformed Hello: " + e.getMessage()));
    }
  }

  private HostHello checked(Hello hello) throws BadMessageException {
    String version = AgentText.readable(hello.getAgentVersion(), MAX_NAME_LENGTH);
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
    long receiveCeiling = hello.getUplink().getReceiveCeilingBitsPerSecond();
    if (receiveCeiling < 0 || receiveCeiling > Tenant.MAX_RATE_BITS_PER_SECOND) {
      throw BadMessageException.ignored(
          "uplink.receive_ceiling_bits_per_second is "
              + Long.toUnsignedString(receiveCeiling)
              + "; expected 0 to "
              + Tenant.MAX_RATE_BITS_PER_SECOND);
    }
    String uplink = FieldChecks.interfaceName("uplink.interface", hello.getUplink().getInterface());
    queues.receiveOver(uplink);
    HostHello checked =
        HostHello.of(
                host,
                version,
                uplink,
                FieldChecks.mac("uplink.mac", hello.getUplink().getMac()),
                capacity,
                endpoints.replace(hello.getEndpointsList()),
                missing,
                ports)
            .withUplinkReceiveCeiling(receiveCeiling);
    return hello.getPeerPublicKey().isEmpty()
        ? checked
        : checked.withPeerPublicKey(peerPublicKey(hello.getPeerPublicKey()));
  }

  private static PeerPublicKey peerPublicKey(ByteString bytes) throws BadMessageException {
    try {
      return PeerPublicKey.of(bytes.toByteArray());
    } catch (IllegalArgumentException e) {
      throw BadMessageException.ignored("peer_public_key " + e.getMessage());
    }
  }

  private static List<String> missingFeatures(List<Feature> features) throws BadMessageException {
    FieldChecks.atMost("features", features.size(), MAX_FEATURES);
    List<String> missing = new ArrayList<>();
    for (Feature feature : features) {
      if (!feature.getPresent()) {
        String detail = feature.getDetail().isEmpty() ? "" : ": " + feature.getDetail();
        missing.add(AgentText.readable(feature.getName() + detail, MAX_DETAIL_LENGTH));
      }
    }
    return missing;
  }
}
