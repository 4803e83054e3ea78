// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import java.util.Collection;
import java.util.List;
import org.sluice.agentlink.proto.ControllerMessage;
import org.sluice.agentlink.proto.EndpointPolicies;
import org.sluice.agentlink.proto.HostSettings;
import org.sluice.agentlink.proto.LeaseRenewal;
import org.sluice.agentlink.proto.NoticeKey;
import org.sluice.agentlink.proto.Notices;
import org.sluice.agentlink.proto.PeerAuthority;
import org.sluice.agentlink.proto.PeerCertificates;
import org.sluice.agentlink.proto.UnitShares;
import org.sluice.agentlink.proto.Welcome;
import org.sluice.api.IpAddress;
import org.sluice.api.Law;
import org.sluice.api.link.AuthorityKey;
import org.sluice.api.link.ControlledEndpoint;
import org.sluice.api.link.EndpointProfile;
import org.sluice.api.link.LinkKey;
import org.sluice.api.link.Notice;
import org.sluice.api.link.PeerCertificate;
import org.sluice.api.link.PeerPublicKey;
import org.sluice.api.link.UnitShare;

/** Encodes messages to agents, but for those about TCP flows. */
final class ControllerMessageEncoder {

  private ControllerMessageEncoder() {}

  static ControllerMessage.Builder welcome(String controllerVersion) {
    return ControllerMessage.newBuilder()
        .setWelcome(
            Welcome.newBuilder()
                .setProtocolVersion(HelloDecoder.PROTOCOL_VERSION)
                .setControllerVersion(controllerVersion)
                .setRelaysMarks(true));
  }

  static ControllerMessage.Builder leaseRenewal() {
    return ControllerMessage.newBuilder().setLeaseRenewal(LeaseRenewal.getDefaultInstance());
  }

  static ControllerMessage.Builder profiles(long term, List<EndpointProfile> profiles) {
    EndpointPolicies.Builder body = EndpointPolicies.newBuilder();
    for (EndpointProfile profile : profiles) {
      body.addEndpoints(
          org.sluice.agentlink.proto.EndpointPolicy.newBuilder()
              .setInterface(profile.endpoint().interfaceName())
              .setTenant(profile.tenant().name())
              .setWeight(profile.weight())
              .setGuaranteeBitsPerSecond(profile.guaranteeBitsPerSecond())
              .setCeilingBitsPerSecond(profile.ceilingBitsPerSecond())
              .setReceiveCeilingBitsPerSecond(profile.receiveCeilingBitsPerSecond())
              .setPreserveEcn(profile.preserveEcn())
              .addAllRefusedIps(addresses(profile.refusedIps())));
    }
    return ControllerMessage.newBuilder().setTerm(term).setPolicies(body);
  }

  /** Each has the term of its port's switch; the message's is the latest of these. */
  static ControllerMessage.Builder unitShares(Collection<TermedItem<UnitShare>> shares) {
    long latest = 0;
    UnitShares.Builder body = UnitShares.newBuilder();
    for (TermedItem<UnitShare> termed : shares) {
      UnitShare share = termed.item;
      latest = Math.max(latest, termed.term);
      org.sluice.agentlink.proto.UnitShare.Builder one =
          org.sluice.agentlink.proto.UnitShare.newBuilder()
              .setPort(share.port().toString())
              .setUnitShareBitsPerSecond(share.unitShareBitsPerSecond())
              .setCapacityBitsPerSecond(share.capacityBitsPerSecond())
              .setActiveWeight(share.activeWeight())
              .setExpired(share.expired())
              .setLentPart(share.lentPart())
              .setEqualCost(share.equalCost())
              .setTerm(termed.term)
              .addAllReached(addresses(share.reached()));
      for (ControlledEndpoint endpoint : share.endpoints()) {
        one.addEndpoints(controlled(endpoint));
      }
      body.addShares(one);
    }
    return ControllerMessage.newBuilder().setTerm(latest).setUnitShares(body);
  }

  private static org.sluice.agentlink.proto.ControlledEndpoint.Builder controlled(
      ControlledEndpoint endpoint) {
    org.sluice.agentlink.proto.ControlledEndpoint.Builder one =
        org.sluice.agentlink.proto.ControlledEndpoint.newBuilder()
            .setInterface(endpoint.endpoint().interfaceName())
            .addAllDestinations(addresses(endpoint.destinations()))
            .setWeight(endpoint.weight())
            .setPairPart(endpoint.pairPart());
    endpoint.floorBitsPerSecond().ifPresent(one::setFloorBitsPerSecond);
    return one;
  }

  static ControllerMessage.Builder notices(long term, List<Notice> notices) {
    Notices.Builder body = Notices.newBuilder();
    for (Notice notice : notices) {
      body.addNotices(
          org.sluice.agentlink.proto.Notice.newBuilder()
              .setPort(notice.port().toString())
              .setInterface(notice.endpoint().interfaceName())
              .setMarks(notice.marks())
              .setPeriodNanos(notice.periodNanos())
              .setShareBitsPerSecond(notice.shareBitsPerSecond())
              .setCapacityBitsPerSecond(notice.capacityBitsPerSecond())
              .addAllDestinations(addresses(notice.destinations()))
              .setPackets(notice.packets()));
    }
    return ControllerMessage.newBuilder().setTerm(term).setNotices(body);
  }

  static ControllerMessage.Builder settings(long term, org.sluice.api.link.HostSettings settings) {
    return ControllerMessage.newBuilder()
        .setTerm(term)
        .setSettings(
            HostSettings.newBuilder()
                .setEnforcement(settings.enforcement())
                .setLaw(law(settings.law()))
                .setControlPeriodMicros(settings.controlPeriodMicros())
                .setTauMicros(settings.tauMicros())
                .setNoticesAlone(settings.noticesAlone())
                .setNoticeTransport(transport(settings.noticeTransport()))
                .setReportFlows(settings.reportFlows())
                .setHandshakeWaitMicros(settings.handshakeWaitMicros())
                .setReportLosses(settings.reportLosses())
                .setSendLostFrames(settings.sendLostFrames())
                .setSignConnections(settings.signConnections())
                .setReportFlowSizes(settings.reportFlowSizes())
                .addAllLevelThresholdBytes(settings.levelThresholdsBytes())
                .setReceiversMark(settings.receiversMark()));
  }

  static ControllerMessage.Builder peerAuthority(long term, List<AuthorityKey> keys) {
    PeerAuthority.Builder body = PeerAuthority.newBuilder();
    for (AuthorityKey key : keys) {
      body.addKeys(
          org.sluice.agentlink.proto.AuthorityKey.newBuilder()
              .setKeyId(key.id())
              .setPublicKey(UnsafeByteOperations.unsafeWrap(key.point())));
    }
    return ControllerMessage.newBuilder().setTerm(term).setPeerAuthority(body);
  }

  /** Certificates of one public key. */
  static ControllerMessage.Builder peerCertificates(
      long term, PeerPublicKey key, List<PeerCertificate> certificates) {
    PeerCertificates.Builder body =
        PeerCertificates.newBuilder()
            .setPeerPublicKey(UnsafeByteOperations.unsafeWrap(key.bytes()));
    for (PeerCertificate certificate : certificates) {
      body.addCertificates(
          org.sluice.agentlink.proto.PeerCertificate.newBuilder()
              .setIp(UnsafeByteOperations.unsafeWrap(certificate.ip().toBytes()))
              .setKeyId(certificate.authorityKeyId())
              .setIssuedMillis(certificate.issuedMillis())
              .setSignature(UnsafeByteOperations.unsafeWrap(certificate.signature())));
    }
    return ControllerMessage.newBuilder().setTerm(term).setPeerCertificates(body);
  }

  static ControllerMessage.Builder noticeKey(long term, LinkKey key) {
    return ControllerMessage.newBuilder()
        .setTerm(term)
        .setNoticeKey(NoticeKey.newBuilder().setKeyId(key.id()).setKey(secret(key)));
  }

  private static ByteString secret(LinkKey key) {
    // A fresh array without other references.
    return UnsafeByteOperations.unsafeWrap(key.secret());
  }

  private static HostSettings.NoticeTransport transport(
      org.sluice.api.link.HostSettings.NoticeTransport transport) {
    switch (transport) {
      case LINK:
        return HostSettings.NoticeTransport.NOTICE_TRANSPORT_LINK;
      case IN_BAND_V1:
        return HostSettings.NoticeTransport.NOTICE_TRANSPORT_IN_BAND_V1;
      case IN_BAND_SDN_GCC:
        return HostSettings.NoticeTransport.NOTICE_TRANSPORT_IN_BAND_SDN_GCC;
      default:
        throw new IllegalArgumentException("no encoding of notice transport " + transport);
    }
  }

  private static HostSettings.Law law(Law law) {
    switch (law) {
      case SLUICE:
        return HostSettings.Law.LAW_SLUICE;
      case SDN_GCC:
        return HostSettings.Law.LAW_SDN_GCC;
      default:
        throw new IllegalArgumentException("no encoding of law " + law);
    }
  }

  private static Iterable<ByteString> addresses(Collection<IpAddress> addresses) {
    return () ->
        addresses.stream()
            // toBytes() returns a fresh array without other references.
            .map(address -> UnsafeByteOperations.unsafeWrap(address.toBytes()))
            .iterator();
  }
}
