// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.api.IpAddress;
import org.sluice.api.deadline.DeadlineRequest;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.FlowAnswer;
import org.sluice.sim.event.RandomStreams;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.Network;
import org.sluice.sim.platform.AgentLinks;
import org.sluice.sim.platform.ChannelParameters;
import org.sluice.sim.platform.ControlChannels;
import org.sluice.sim.shim.deadline.SedSettings;
import org.sluice.sim.shim.host.Addresses;

/** Who receives the controller's answers to requests of deadlines. */
class DeadlineFunctionTest {
  private final Scheduler scheduler = new Scheduler();
  private final Network network = new Network(scheduler, new RandomStreams(1));
  private final Host host = network.addHost("h1");
  private final Addresses addresses = new Addresses(network);
  private final HostAgent agent =
      new HostAgent(
          network,
          host,
          addresses,
          new AgentLinks(scheduler, new ControlChannels(network, ChannelParameters.DEFAULTS)));
  private final DeadlineFunction deadlines =
      new DeadlineFunction(network, host, agent.connection(), addresses, SedSettings.DEFAULTS);
  private final List<FlowAnswer> answers = new ArrayList<>();

  private void request() {
    FlowKey flow =
        FlowKey.of(IpAddress.parse("10.0.0.1"), 40000, IpAddress.parse("10.0.0.2"), 5000);
    deadlines.register(DeadlineRequest.of(flow, 100_000, 20_000_000, true), answers::add);
  }

  private void answer(long request) {
    deadlines.received(DownlinkMessage.ofFlowAnswer(FlowAnswer.registered(request, 1, true)));
  }

  @Test
  void answerReachesTheApplicationThatRequested() {
    request();
    answer(0);

    assertThat(answers).containsExactly(FlowAnswer.registered(0, 1, true));
  }

  @Test
  void answerInTransitWhenTheSessionEndsIsForNobody() {
    request();
    deadlines.sessionEnded();
    answer(0);

    assertThat(answers).isEmpty();
  }
}
