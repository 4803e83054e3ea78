// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.sluice.api.deadline.DeadlineRequest;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.link.FlowAnswer;
import org.sluice.sim.agent.DeadlineFunction;
import org.sluice.sim.event.Event;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.network.Host;
import org.sluice.sim.shim.host.Addresses;
import org.sluice.sim.transport.TcpFlow;

/** Applications that request deadlines of their flows, each at its host's agent. */
public final class FlowRegistrations {
  private final Scheduler scheduler;
  private final Addresses addresses;
  private final Map<Host, DeadlineFunction> agents = new HashMap<>();
  private final Set<TcpFlow> promised = new HashSet<>();

  FlowRegistrations(Scheduler scheduler, Addresses addresses) {
    this.scheduler = scheduler;
    this.addresses = addresses;
  }

  void add(Host host, DeadlineFunction agent) {
    agents.put(host, agent);
  }

  /**
   * Registers the next connection of a flow, promised or not: its application sends it anyway.
   *
   * @param atNanos when the application requests the deadline: not after the flow starts
   * @param beginsNanos when it says that the flow starts
   * @param deadlineNanos when all of its bytes are to have arrived
   */
  public void register(TcpFlow flow, long atNanos, long beginsNanos, long deadlineNanos) {
    DeadlineRequest request =
        DeadlineRequest.of(key(flow), flow.bytes(), deadlineNanos - atNanos, true)
            .beginningIn(beginsNanos - atNanos);
    scheduler.arm(Event.running(() -> request(flow, request)), atNanos);
  }

  private void request(TcpFlow flow, DeadlineRequest request) {
    agents.get(flow.source().host()).register(request, answer -> answered(flow, answer));
  }

  private FlowKey key(TcpFlow flow) {
    return FlowKey.of(
        addresses.ip(flow.source().number()),
        flow.sourcePort(),
        addresses.ip(flow.destination().number()),
        flow.nextDestinationPort());
  }

  private void answered(TcpFlow flow, FlowAnswer answer) {
    if (answer.body().kind() == FlowAnswer.Body.Kind.REGISTERED
        && answer.body().registered().promised()) {
      promised.add(flow);
    }
  }

  /** Whether the deadline of a flow was promised, as its application knows. */
  public boolean isPromised(TcpFlow flow) {
    return promised.contains(flow);
  }
}
