// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.sluice.api.HostId;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;

/** How an agent introduces its host. */
@AutoValue
public abstract class HostHello {
  /** The feature that an agent lacks whose operator lets nobody hint anything about TCP. */
  public static final String HINTS_FEATURE = "tcp-hints";

  private static final MacAddress NO_MAC = MacAddress.of(new byte[6]);

  /** For an agent that keeps no switch port's queue. */
  public static HostHello of(
      HostId host,
      String agentVersion,
      String uplink,
      MacAddress uplinkMac,
      long uplinkCapacityBitsPerSecond,
      List<ReportedEndpoint> endpoints,
      List<String> missingFeatures) {
    return of(
        host,
        agentVersion,
        uplink,
        uplinkMac,
        uplinkCapacityBitsPerSecond,
        endpoints,
        missingFeatures,
        List.of());
  }

  public static HostHello of(
      HostId host,
      String agentVersion,
      String uplink,
      MacAddress uplinkMac,
      long uplinkCapacityBitsPerSecond,
      List<ReportedEndpoint> endpoints,
      List<String> missingFeatures,
      List<PortId> switchPorts) {
    return new AutoValue_HostHello(
        host,
        agentVersion,
        uplink,
        uplinkMac,
        uplinkCapacityBitsPerSecond,
        List.copyOf(endpoints),
        0,
        List.copyOf(missingFeatures),
        List.copyOf(switchPorts),
        Optional.empty(),
        Optional.empty());
  }

  /** The same with a receive ceiling of the uplink, bit/s; 0 is no limit. */
  public HostHello withUplinkReceiveCeiling(long bitsPerSecond) {
    return with(endpoints(), bitsPerSecond, peerPublicKey(), certificateNotAfter());
  }

  /** The same with other endpoints. */
  public HostHello withEndpoints(List<ReportedEndpoint> now) {
    return with(now, uplinkReceiveCeilingBitsPerSecond(), peerPublicKey(), certificateNotAfter());
  }

  /** The same with a key for messages between agents. */
  public HostHello withPeerPublicKey(PeerPublicKey key) {
    return with(
        endpoints(), uplinkReceiveCeilingBitsPerSecond(), Optional.of(key), certificateNotAfter());
  }

  /** The same with the end of the certificate that the agent showed. */
  public HostHello withCertificateNotAfter(Instant end) {
    return with(
        endpoints(), uplinkReceiveCeilingBitsPerSecond(), peerPublicKey(), Optional.of(end));
  }

  private HostHello with(
      List<ReportedEndpoint> endpoints,
      long uplinkReceiveCeilingBitsPerSecond,
      Optional<PeerPublicKey> peerPublicKey,
      Optional<Instant> certificateNotAfter) {
    return new AutoValue_HostHello(
        host(),
        agentVersion(),
        uplink(),
        uplinkMac(),
        uplinkCapacityBitsPerSecond(),
        List.copyOf(endpoints),
        uplinkReceiveCeilingBitsPerSecond,
        missingFeatures(),
        switchPorts(),
        peerPublicKey,
        certificateNotAfter);
  }

  /** For an agent that keeps switch ports' queues and has neither uplink nor endpoints. */
  public static HostHello ofPortAgent(
      HostId host, String agentVersion, List<String> missingFeatures, List<PortId> switchPorts) {
    return of(host, agentVersion, "", NO_MAC, 0, List.of(), missingFeatures, switchPorts);
  }

  public abstract HostId host();

  public abstract String agentVersion();

  /** The interface towards the network; empty for an agent that only keeps ports' queues. */
  public abstract String uplink();

  public abstract MacAddress uplinkMac();

  /** bit/s; 0 without an uplink. */
  public abstract long uplinkCapacityBitsPerSecond();

  public abstract List<ReportedEndpoint> endpoints();

  /** What shall arrive over the uplink at most, bit/s; 0 is no limit. */
  public abstract long uplinkReceiveCeilingBitsPerSecond();

  public abstract List<String> missingFeatures();

  /** Ports of software switches whose queues it keeps; its certificate names their switches. */
  public abstract List<PortId> switchPorts();

  /** Of this start of the agent; empty if it exchanges nothing with other agents. */
  public abstract Optional<PeerPublicKey> peerPublicKey();

  /** Until when the certificate is valid that it showed; empty where it showed none. */
  public abstract Optional<Instant> certificateNotAfter();
}
