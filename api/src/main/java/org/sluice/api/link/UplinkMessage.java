// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoOneOf;
import org.sluice.api.HostId;

/** What the controller receives by the link: exactly one of these. Immutable. */
@AutoOneOf(UplinkMessage.Kind.class)
public abstract class UplinkMessage {

  /** Which. */
  public enum Kind {
    SESSION_OPENED,
    SESSION_CLOSED,
    OBSERVATION,
    PORT_QUEUES,
    EVENT,
    FLOW_REPORT,
    FLOW_REQUEST,
    LOSS_REPORT,
    FLOW_SIZES,
    TCP_HINT_REPORT,
    MARK_REPORT,
    REFUSAL,
    QUARANTINE
  }

  /** A host's agent opened a session, or a new one in place of an old one. */
  public static UplinkMessage ofSessionOpened(HostHello hello) {
    return AutoOneOf_UplinkMessage.sessionOpened(hello);
  }

  /** A host's session ended, and no other takes its place. */
  public static UplinkMessage ofSessionClosed(HostId host) {
    return AutoOneOf_UplinkMessage.sessionClosed(host);
  }

  public static UplinkMessage ofObservation(HostObservation observation) {
    return AutoOneOf_UplinkMessage.observation(observation);
  }

  public static UplinkMessage ofPortQueues(PortQueueObservation observation) {
    return AutoOneOf_UplinkMessage.portQueues(observation);
  }

  public static UplinkMessage ofEvent(HostEvent event) {
    return AutoOneOf_UplinkMessage.event(event);
  }

  public static UplinkMessage ofFlowReport(FlowReport report) {
    return AutoOneOf_UplinkMessage.flowReport(report);
  }

  public static UplinkMessage ofFlowRequest(FlowRequest request) {
    return AutoOneOf_UplinkMessage.flowRequest(request);
  }

  public static UplinkMessage ofLossReport(LossReport report) {
    return AutoOneOf_UplinkMessage.lossReport(report);
  }

  public static UplinkMessage ofFlowSizes(FlowSizeReport report) {
    return AutoOneOf_UplinkMessage.flowSizes(report);
  }

  public static UplinkMessage ofTcpHintReport(TcpHintReport report) {
    return AutoOneOf_UplinkMessage.tcpHintReport(report);
  }

  public static UplinkMessage ofMarkReport(MarkReport report) {
    return AutoOneOf_UplinkMessage.markReport(report);
  }

  /** Reported at a limited rate; the link's counters have all of them. */
  public static UplinkMessage ofRefusal(Refusal refusal) {
    return AutoOneOf_UplinkMessage.refusal(refusal);
  }

  /** A host's quarantine begins or is over. */
  public static UplinkMessage ofQuarantine(Quarantine quarantine) {
    return AutoOneOf_UplinkMessage.quarantine(quarantine);
  }

  public abstract Kind kind();

  public abstract HostHello sessionOpened();

  public abstract HostId sessionClosed();

  public abstract HostObservation observation();

  public abstract PortQueueObservation portQueues();

  public abstract HostEvent event();

  public abstract FlowReport flowReport();

  public abstract FlowRequest flowRequest();

  public abstract LossReport lossReport();

  public abstract FlowSizeReport flowSizes();

  public abstract TcpHintReport tcpHintReport();

  public abstract MarkReport markReport();

  public abstract Refusal refusal();

  public abstract Quarantine quarantine();

  /** Calls the handler's method for this kind. */
  public final void dispatch(UplinkHandler handler) {
    switch (kind()) {
      case SESSION_OPENED:
        handler.sessionOpened(sessionOpened());
        break;
      case SESSION_CLOSED:
        handler.sessionClosed(sessionClosed());
        break;
      case OBSERVATION:
        handler.observed(observation());
        break;
      case PORT_QUEUES:
        handler.portQueuesObserved(portQueues());
        break;
      case EVENT:
        handler.eventReported(event());
        break;
      case FLOW_REPORT:
        handler.flowsReported(flowReport());
        break;
      case FLOW_REQUEST:
        handler.flowRequested(flowRequest());
        break;
      case LOSS_REPORT:
        handler.lossesReported(lossReport());
        break;
      case FLOW_SIZES:
        handler.flowSizesReported(flowSizes());
        break;
      case TCP_HINT_REPORT:
        handler.tcpHintsReported(tcpHintReport());
        break;
      case MARK_REPORT:
        handler.marksReported(markReport());
        break;
      case REFUSAL:
        handler.refused(refusal());
        break;
      case QUARANTINE:
        handler.quarantined(quarantine());
        break;
      default:
        throw new IllegalStateException("no method for " + kind());
    }
  }
}
