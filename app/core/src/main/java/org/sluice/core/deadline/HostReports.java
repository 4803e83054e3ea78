// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.sluice.api.HostId;
import org.sluice.api.link.FlowReport;
import org.sluice.api.link.FlowRequest;
import org.sluice.api.link.FlowUpdate;
import org.sluice.api.link.HostEvent;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.LossReport;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.UplinkHandler;
import org.sluice.core.inbox.EngineInbox;

/** Hands on what hosts report of flows: to the engine thread, or what applications request. */
final class HostReports implements UplinkHandler {
  private final EngineInbox inbox;
  private final DeadlineLoop loop;
  private final Consumer<FlowRequest> requests;
  private final BooleanSupplier leads;

  /**
   * One that has received nothing yet.
   *
   * @param requests answers applications
   * @param leads whether this node answers applications
   */
  HostReports(
      EngineInbox inbox, DeadlineLoop loop, Consumer<FlowRequest> requests, BooleanSupplier leads) {
    this.inbox = inbox;
    this.loop = loop;
    this.requests = requests;
    this.leads = leads;
  }

  @Override
  public void sessionOpened(HostHello hello) {
    inbox.post(now -> loop.hosts().connected(hello));
  }

  @Override
  public void sessionClosed(HostId host) {
    inbox.post(now -> loop.hosts().disconnected(host, now));
  }

  @Override
  public void eventReported(HostEvent event) {
    if (event.kind() == HostEvent.Kind.ENDPOINTS_CHANGED) {
      inbox.post(now -> loop.hosts().endpoints(event.host(), event.endpoints()));
    }
  }

  @Override
  public void portQueuesObserved(PortQueueObservation observation) {
    int entries = observation.ports().size();
    inbox.offer(observation.host(), entries, now -> loop.queued(observation, now));
  }

  /** Those whose handshakes wait are urgent. */
  @Override
  public void flowsReported(FlowReport report) {
    int entries = report.flows().size();
    boolean handshakes =
        report.flows().stream().anyMatch(flow -> flow.state() != FlowUpdate.State.ESTABLISHED);
    if (handshakes) {
      inbox.offerUrgent(report.host(), entries, now -> loop.reported(report, now));
    } else {
      inbox.offer(report.host(), entries, now -> loop.reported(report, now));
    }
  }

  @Override
  public void lossesReported(LossReport report) {
    int entries = report.losses().size();
    inbox.offerUrgent(report.host(), entries, now -> loop.lost(report, now));
  }

  @Override
  public void flowRequested(FlowRequest request) {
    if (leads.getAsBoolean()) {
      requests.accept(request);
    }
  }
}
