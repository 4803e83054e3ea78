// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.deadline;

import org.sluice.api.HostId;
import org.sluice.api.link.AgentLinkListener;
import org.sluice.api.link.FlowReport;
import org.sluice.api.link.HostEvent;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.LossReport;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.onos.setting.Parameters;
import org.sluice.onos.testing.FakeLink;

/** A link for rehearsals without its form on the wire, which this module's tests do not have. */
final class RehearsedLink implements AgentLinkListener {
  final FakeLink link = new FakeLink();

  static RehearsedDeadlines play(Parameters parameters) {
    return new RehearsedLink().with(parameters);
  }

  RehearsedDeadlines with(Parameters parameters) {
    return new RehearsedDeadlines(parameters, new RehearsedNetwork(), link, this);
  }

  @Override
  public void connected(HostHello hello) {
    link.connect(hello);
  }

  @Override
  public void flowsReported(FlowReport report) {
    link.listeners.forEach(listener -> listener.flowsReported(report));
  }

  @Override
  public void queued(PortQueueObservation observation) {
    link.listeners.forEach(listener -> listener.queued(observation));
  }

  @Override
  public void lost(LossReport report) {
    link.listeners.forEach(listener -> listener.lost(report));
  }

  @Override
  public void observed(HostObservation observation) {}

  @Override
  public void happened(HostEvent event) {}

  @Override
  public void disconnected(HostId host) {}
}
