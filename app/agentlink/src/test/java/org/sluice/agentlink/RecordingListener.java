// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.sluice.api.HostId;
import org.sluice.api.link.FlowReport;
import org.sluice.api.link.FlowRequest;
import org.sluice.api.link.HostEvent;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.LossReport;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.Quarantine;
import org.sluice.api.link.Refusal;
import org.sluice.api.link.UplinkHandler;

/** Keeps the content of the messages that it received, in order. */
class RecordingListener implements UplinkHandler {
  private final BlockingQueue<Object> received = new LinkedBlockingQueue<>();

  @Override
  public void sessionOpened(HostHello hello) {
    received.add(hello);
  }

  @Override
  public void observed(HostObservation observation) {
    received.add(observation);
  }

  @Override
  public void portQueuesObserved(PortQueueObservation observation) {
    received.add(observation);
  }

  @Override
  public void flowsReported(FlowReport report) {
    received.add(report);
  }

  @Override
  public void flowRequested(FlowRequest request) {
    received.add(request);
  }

  @Override
  public void lossesReported(LossReport report) {
    received.add(report);
  }

  @Override
  public void eventReported(HostEvent event) {
    received.add(event);
  }

  @Override
  public void sessionClosed(HostId host) {
    received.add("disconnected " + host);
  }

  @Override
  public void refused(Refusal refusal) {
    received.add("refused " + refusal.reason());
  }

  @Override
  public void quarantined(Quarantine quarantine) {
    received.add(quarantine);
  }

  /** The next that it received, which must be of this type. */
  <T> T next(Class<T> type) throws InterruptedException {
    Object next = received.poll(TestAgent.PATIENCE_SECONDS, TimeUnit.SECONDS);
    if (!type.isInstance(next)) {
      throw new AssertionError("expected a " + type.getSimpleName() + ", received " + next);
    }
    return type.cast(next);
  }

  boolean receivedMore() {
    return !received.isEmpty();
  }
}
