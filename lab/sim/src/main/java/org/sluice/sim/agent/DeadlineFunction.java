// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.agent;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.sluice.api.HostId;
import org.sluice.api.deadline.DeadlineRequest;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.FlowAnswer;
import org.sluice.api.link.FlowReport;
import org.sluice.api.link.FlowRequest;
import org.sluice.api.link.FlowUpdate;
import org.sluice.api.link.UplinkMessage;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.Network;
import org.sluice.sim.platform.AgentConnection;
import org.sluice.sim.shim.deadline.SedSettings;
import org.sluice.sim.shim.deadline.SedShim;
import org.sluice.sim.shim.host.Addresses;

/**
 * Reports a host's connections while the controller requests it, writes granted windows, answers
 * losses, and takes what applications request about deadlines to the controller.
 */
public final class DeadlineFunction implements AgentFunction {
  private final HostId id;
  private final AgentConnection connection;
  private final SedShim shim;

  /** Who waits for an answer, by the number of the request. */
  private final Map<Long, Consumer<FlowAnswer>> waiting = new HashMap<>();

  private long requests;

  /** Puts its shim between the host's endpoints and what shims it has. */
  public DeadlineFunction(
      Network network,
      Host host,
      AgentConnection connection,
      Addresses addresses,
      SedSettings settings) {
    this.id = HostAgent.id(host);
    this.connection = connection;
    this.shim = new SedShim(network, host, addresses, settings, this::report);
    host.addShim(shim);
  }

  /**
   * An application requests a deadline; without a controller it gets no answer.
   *
   * @param request by its time of now
   */
  public void register(DeadlineRequest request, Consumer<FlowAnswer> answered) {
    long number = requests++;
    waiting.put(number, answered);
    connection.send(now -> UplinkMessage.ofFlowRequest(FlowRequest.register(id, number, request)));
  }

  private void report(List<FlowUpdate> flows, long nowNanos) {
    connection.send(
        received -> UplinkMessage.ofFlowReport(FlowReport.of(id, nowNanos, false, flows)));
  }

  @Override
  public void received(DownlinkMessage message) {
    switch (message.kind()) {
      case SETTINGS -> shim.follow(message.settings());
      case WINDOW_GRANTS -> message.windowGrants().forEach(shim::apply);
      case LOSS_ANSWERS -> message.lossAnswers().forEach(shim::answer);
      case FLOW_ANSWER -> answered(message.flowAnswer());
      default -> {}
    }
  }

  private void answered(FlowAnswer answer) {
    Consumer<FlowAnswer> waits = waiting.remove(answer.request());
    if (waits != null) { // Else it was in transit when the session ended.
      waits.accept(answer);
    }
  }

  /** What a controller granted ends with its session, and nobody answers any more. */
  @Override
  public void sessionEnded() {
    shim.release();
    waiting.clear();
  }

  @Override
  public void killed() {
    shim.release();
  }

  @Override
  public void stopped() {
    shim.release();
  }
}
