// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoOneOf;
import java.util.List;

/** A message from the controller to a host's agent: exactly one of these. Immutable. */
@AutoOneOf(DownlinkMessage.Kind.class)
public abstract class DownlinkMessage {

  /** Which. */
  public enum Kind {
    PROFILES,
    UNIT_SHARES,
    NOTICES,
    SETTINGS,
    PEER_AUTHORITY,
    PEER_CERTIFICATES,
    NOTICE_KEY,
    WINDOW_GRANTS,
    FLOW_ANSWER,
    LOSS_ANSWERS,
    RESENDS,
    BACKGROUND_QUEUES,
    RATE_CAPS,
    TCP_HINTS,
    RETURNED_MARKS,
    UNDELIVERED_MARKS,
    MARKING_THRESHOLDS
  }

  /** Has a method for each kind, so that a new kind cannot be forgotten anywhere. */
  public interface Visitor {
    void profiles(List<EndpointProfile> profiles);

    void unitShares(List<UnitShare> shares);

    void notices(List<Notice> notices);

    void settings(HostSettings settings);

    void peerAuthority(List<AuthorityKey> keys);

    void peerCertificates(List<PeerCertificate> certificates);

    void noticeKey(LinkKey key);

    void windowGrants(List<WindowGrant> grants);

    void flowAnswer(FlowAnswer answer);

    void lossAnswers(List<LossAnswer> answers);

    void resends(List<Resend> resends);

    void backgroundQueues(BackgroundQueues queues);

    void rateCaps(List<RateCap> caps);

    void tcpHints(TcpHints hints);

    void returnedMarks(List<PairMarks> marks);

    void undeliveredMarks(List<PairMarks> marks);

    void markingThresholds(List<PortThresholds> ports);
  }

  /** Replaces all endpoint profiles of the host. */
  public static DownlinkMessage ofProfiles(List<EndpointProfile> profiles) {
    return AutoOneOf_DownlinkMessage.profiles(List.copyOf(profiles));
  }

  public static DownlinkMessage ofUnitShares(List<UnitShare> shares) {
    return AutoOneOf_DownlinkMessage.unitShares(List.copyOf(shares));
  }

  public static DownlinkMessage ofNotices(List<Notice> notices) {
    return AutoOneOf_DownlinkMessage.notices(List.copyOf(notices));
  }

  public static DownlinkMessage ofSettings(HostSettings settings) {
    return AutoOneOf_DownlinkMessage.settings(settings);
  }

  /** The keys by which agents are certified to each other, the newest first: one or two. */
  public static DownlinkMessage ofPeerAuthority(List<AuthorityKey> keys) {
    return AutoOneOf_DownlinkMessage.peerAuthority(List.copyOf(keys));
  }

  /** Certificates of the host's addresses, in addition to those before. */
  public static DownlinkMessage ofPeerCertificates(List<PeerCertificate> certificates) {
    return AutoOneOf_DownlinkMessage.peerCertificates(List.copyOf(certificates));
  }

  /**
   * The key with which this controller node signs in-band notices to the host, and to no other. The
   * host discards it when this node's lease ends.
   */
  public static DownlinkMessage ofNoticeKey(LinkKey key) {
    return AutoOneOf_DownlinkMessage.noticeKey(key);
  }

  /** Windows of flows of the host's endpoints. Of several for one flow the newest is sent. */
  public static DownlinkMessage ofWindowGrants(List<WindowGrant> grants) {
    return AutoOneOf_DownlinkMessage.windowGrants(List.copyOf(grants));
  }

  /** Answers an application on the host. */
  public static DownlinkMessage ofFlowAnswer(FlowAnswer answer) {
    return AutoOneOf_DownlinkMessage.flowAnswer(answer);
  }

  /** Has the host send duplicate acknowledgements to its endpoints. */
  public static DownlinkMessage ofLossAnswers(List<LossAnswer> answers) {
    return AutoOneOf_DownlinkMessage.lossAnswers(List.copyOf(answers));
  }

  /** Has a port agent send packets again that it keeps. */
  public static DownlinkMessage ofResends(List<Resend> resends) {
    return AutoOneOf_DownlinkMessage.resends(List.copyOf(resends));
  }

  /** Replaces the background queues of a port agent's port. */
  public static DownlinkMessage ofBackgroundQueues(BackgroundQueues queues) {
    return AutoOneOf_DownlinkMessage.backgroundQueues(queues);
  }

  /**
   * Caps background queues of a port agent's ports. Of several for one queue the newest is sent.
   */
  public static DownlinkMessage ofRateCaps(List<RateCap> caps) {
    return AutoOneOf_DownlinkMessage.rateCaps(List.copyOf(caps));
  }

  /** Replaces the hints for the host's own TCP. */
  public static DownlinkMessage ofTcpHints(TcpHints hints) {
    return AutoOneOf_DownlinkMessage.tcpHints(hints);
  }

  /**
   * Marks of packets that endpoints of the host had sent. Of several of one pair the newest is
   * sent.
   */
  public static DownlinkMessage ofReturnedMarks(List<PairMarks> marks) {
    return AutoOneOf_DownlinkMessage.returnedMarks(List.copyOf(marks));
  }

  /** Marks that the host reported and that could be passed on to nobody. */
  public static DownlinkMessage ofUndeliveredMarks(List<PairMarks> marks) {
    return AutoOneOf_DownlinkMessage.undeliveredMarks(List.copyOf(marks));
  }

  /**
   * Sets marking thresholds of a port agent's ports. Of several for one port the newest is sent.
   */
  public static DownlinkMessage ofMarkingThresholds(List<PortThresholds> ports) {
    return AutoOneOf_DownlinkMessage.markingThresholds(List.copyOf(ports));
  }

  public abstract Kind kind();

  public abstract List<EndpointProfile> profiles();

  public abstract List<UnitShare> unitShares();

  public abstract List<Notice> notices();

  public abstract HostSettings settings();

  public abstract List<AuthorityKey> peerAuthority();

  public abstract List<PeerCertificate> peerCertificates();

  public abstract LinkKey noticeKey();

  public abstract List<WindowGrant> windowGrants();

  public abstract FlowAnswer flowAnswer();

  public abstract List<LossAnswer> lossAnswers();

  public abstract List<Resend> resends();

  public abstract BackgroundQueues backgroundQueues();

  public abstract List<RateCap> rateCaps();

  public abstract TcpHints tcpHints();

  public abstract List<PairMarks> returnedMarks();

  public abstract List<PairMarks> undeliveredMarks();

  public abstract List<PortThresholds> markingThresholds();

  /** Calls the visitor's method for this kind. */
  public final void accept(Visitor visitor) {
    switch (kind()) {
      case PROFILES:
        visitor.profiles(profiles());
        break;
      case UNIT_SHARES:
        visitor.unitShares(unitShares());
        break;
      case NOTICES:
        visitor.notices(notices());
        break;
      case SETTINGS:
        visitor.settings(settings());
        break;
      case PEER_AUTHORITY:
        visitor.peerAuthority(peerAuthority());
        break;
      case PEER_CERTIFICATES:
        visitor.peerCertificates(peerCertificates());
        break;
      case NOTICE_KEY:
        visitor.noticeKey(noticeKey());
        break;
      case WINDOW_GRANTS:
        visitor.windowGrants(windowGrants());
        break;
      case FLOW_ANSWER:
        visitor.flowAnswer(flowAnswer());
        break;
      case LOSS_ANSWERS:
        visitor.lossAnswers(lossAnswers());
        break;
      case RESENDS:
        visitor.resends(resends());
        break;
      case BACKGROUND_QUEUES:
        visitor.backgroundQueues(backgroundQueues());
        break;
      case RATE_CAPS:
        visitor.rateCaps(rateCaps());
        break;
      case TCP_HINTS:
        visitor.tcpHints(tcpHints());
        break;
      case RETURNED_MARKS:
        visitor.returnedMarks(returnedMarks());
        break;
      case UNDELIVERED_MARKS:
        visitor.undeliveredMarks(undeliveredMarks());
        break;
      case MARKING_THRESHOLDS:
        visitor.markingThresholds(markingThresholds());
        break;
      default:
        throw new IllegalStateException("no method for " + kind());
    }
  }
}
