// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.deadline;

import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.sluice.api.HostId;
import org.sluice.api.link.FlowNews;
import org.sluice.api.link.FlowReport;
import org.sluice.api.link.FlowRequest;
import org.sluice.api.link.HostEvent;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.LossReport;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.UplinkHandler;

/** Passes on what hosts say: to the engine's thread, or what applications ask for. */
final class HostNews implements UplinkHandler {
  private final EngineDesk desk;
  private final Consumer<FlowRequest> requests;
  private final BooleanSupplier wanted;
  private final BooleanSupplier leads;

  /**
   * One that knows nothing of hosts.
   *
   * @param requests answers applications
   * @param wanted whether flows are followed at all
   * @param leads whether this node does so
   */
  HostNews(
      EngineDesk desk,
      Consumer<FlowRequest> requests,
      BooleanSupplier wanted,
      BooleanSupplier leads) {
    this.desk = desk;
    this.requests = requests;
    this.wanted = wanted;
    this.leads = leads;
  }

  @Override
  public void sessionOpened(HostHello hello) {
    desk.post(false, (engine, now) -> engine.hosts().connected(hello));
  }

  @Override
  public void sessionClosed(HostId host) {
    desk.post(false, (engine, now) -> engine.hosts().disconnected(host, now));
  }

  @Override
  public void eventReported(HostEvent event) {
    if (event.kind() == HostEvent.Kind.ENDPOINTS_CHANGED) {
      desk.post(false, (engine, now) -> engine.hosts().endpoints(event.host(), event.endpoints()));
    }
  }

  @Override
  public void portQueuesObserved(PortQueueObservation observation) {
    if (wanted.getAsBoolean()) {
      desk.offer(false, (engine, now) -> engine.queued(observation, now));
    }
  }

  @Override
  public void flowsReported(FlowReport report) {
    boolean handshakes =
        report.flows().stream().anyMatch(news -> news.state() != FlowNews.State.ESTABLISHED);
    desk.offer(handshakes, (engine, now) -> engine.reported(report, now));
  }

  @Override
  public void lossesReported(LossReport report) {
    desk.offer(true, (engine, now) -> engine.lost(report, now));
  }

  @Override
  public void flowRequested(FlowRequest request) {
    if (leads.getAsBoolean()) {
      requests.accept(request);
    }
  }
}
