// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import org.sluice.api.HostId;

/**
 * A listener with a method for each kind of message. Those that an implementation does not override
 * ignore their kind.
 */
public interface UplinkHandler extends AgentLinkListener {

  @Override
  default void received(UplinkMessage message) {
    message.dispatch(this);
  }

  default void sessionOpened(HostHello hello) {}

  default void sessionClosed(HostId host) {}

  default void observed(HostObservation observation) {}

  default void portQueuesObserved(PortQueueObservation observation) {}

  default void eventReported(HostEvent event) {}

  default void flowsReported(FlowReport report) {}

  /** The answer goes back by {@link DownlinkMessage#ofFlowAnswer}. */
  default void flowRequested(FlowRequest request) {}

  default void lossesReported(LossReport report) {}

  default void flowSizesReported(FlowSizeReport report) {}

  default void tcpHintsReported(TcpHintReport report) {}

  default void marksReported(MarkReport report) {}

  default void refused(Refusal refusal) {}

  default void quarantined(Quarantine quarantine) {}
}
