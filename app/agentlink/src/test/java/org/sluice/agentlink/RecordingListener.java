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
import org.sluice.api.link.Refusal;
import org.sluice.api.link.UplinkHandler;

/** Keeps what it heard, in order. */
class RecordingListener implements UplinkHandler {
  private final BlockingQueue<Object> heard = new LinkedBlockingQueue<>();

  @Override
  public void sessionOpened(HostHello hello) {
    heard.add(hello);
  }

  @Override
  public void observed(HostObservation observation) {
    heard.add(observation);
  }

  @Override
  public void portQueuesObserved(PortQueueObservation observation) {
    heard.add(observation);
  }

  @Override
  public void flowsReported(FlowReport report) {
    heard.add(report);
  }

  @Override
  public void flowRequested(FlowRequest request) {
    heard.add(request);
  }

  @Override
  public void lossesReported(LossReport report) {
    heard.add(report);
  }

  @Override
  public void eventReported(HostEvent event) {
    heard.add(event);
  }

  @Override
  public void sessionClosed(HostId host) {
    heard.add("disconnected " + host);
  }

  @Override
  public void refused(Refusal refusal) {
    heard.add("refused " + refusal.reason());
  }

  /** The next that it heard, which must be of this type. */
  <T> T next(Class<T> type) throws InterruptedException {
    Object next = heard.poll(TestAgent.PATIENCE_SECONDS, TimeUnit.SECONDS);
    if (!type.isInstance(next)) {
      throw new AssertionError("expected a " + type.getSimpleName() + ", heard " + next);
    }
    return type.cast(next);
  }

  boolean heardMore() {
    return !heard.isEmpty();
  }
}
