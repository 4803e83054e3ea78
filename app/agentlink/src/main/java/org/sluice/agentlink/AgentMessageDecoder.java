// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import io.grpc.Status;
import java.util.Optional;
import java.util.Set;
import org.sluice.agentlink.proto.AgentMessage;
import org.sluice.agentlink.proto.Hello;
import org.sluice.api.HostId;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.UplinkMessage;

/**
 * Checks and decodes the messages of one session. Trusts nothing: a host that was taken over may
 * harm itself, but reports only about its own endpoints and switch ports and costs bounded memory.
 * A malformed message is refused whole.
 */
final class AgentMessageDecoder {
  private final AgentClock clock = new AgentClock();
  private final OwnEndpoints endpoints;
  private final PortQueueDecoder queues;
  private final HelloDecoder hellos;
  private final ObservationDecoder observations;
  private final EventDecoder events;
  private final FlowDecoder flows;
  private final FlowSizeDecoder flowSizes;
  private final HintReportDecoder hints;
  private final MarkDecoder marks;

  /**
   * For one session.
   *
   * @param switches the datapath ids that the agent's certificate carries
   */
  AgentMessageDecoder(HostId host, Set<String> switches, HostCounters counters) {
    AddressDecoder addresses = new AddressDecoder();
    endpoints = new OwnEndpoints(host, addresses, counters);
    queues = new PortQueueDecoder(host, switches, endpoints);
    hellos = new HelloDecoder(host, endpoints, queues);
    observations = new ObservationDecoder(host, endpoints, addresses);
    events = new EventDecoder(host, endpoints);
    flows = new FlowDecoder(host, endpoints, addresses, queues);
    flowSizes = new FlowSizeDecoder(host, endpoints, flows);
    hints = new HintReportDecoder(host);
    marks = new MarkDecoder(host, endpoints, addresses);
  }

  /** Decodes the first message's body, by whose endpoints and ports the others are judged. */
  HostHello hello(Hello hello) throws BadMessageException {
    return hellos.hello(hello);
  }

  /**
   * Decodes a message after the first.
   *
   * @param receivedNanos this controller's monotonic clock, never less than before
   */
  UplinkMessage decode(AgentMessage message, long receivedNanos) throws BadMessageException {
    long sentNanos = clock.sentNanos(message.getMonotonicNanos(), receivedNanos);
    switch (message.getBodyCase()) {
      case OBSERVATION:
        return UplinkMessage.ofObservation(
            observations.observation(message.getObservation(), receivedNanos));
      case PORT_OBSERVATION:
        return UplinkMessage.ofPortQueues(
            queues.observation(message.getPortObservation(), receivedNanos));
      case FLOW_REPORT:
        return UplinkMessage.ofFlowReport(flows.report(message.getFlowReport(), sentNanos));
      case FLOW_REQUEST:
        return UplinkMessage.ofFlowRequest(flows.request(message.getFlowRequest()));
      case LOSS_REPORT:
        return UplinkMessage.ofLossReport(flows.losses(message.getLossReport(), receivedNanos));
      case FLOW_SIZES:
        return UplinkMessage.ofFlowSizes(flowSizes.report(message.getFlowSizes(), receivedNanos));
      case TCP_HINT_REPORT:
        return UplinkMessage.ofTcpHintReport(hints.report(message.getTcpHintReport()));
      case MARK_REPORT:
        return UplinkMessage.ofMarkReport(marks.report(message.getMarkReport()));
      case EVENT:
        return UplinkMessage.ofEvent(events.event(message.getEvent()));
      case HELLO:
        throw BadMessageException.fatal(
            Status.FAILED_PRECONDITION.withDescription(
                "a second Hello within a session; open a new session instead"));
      default:
        throw BadMessageException.ignored("a message without a body of a known kind");
    }
  }

  /** What the first sample about another host's endpoint was about; present once. */
  Optional<String> takeFirstForeign() {
    return endpoints.takeFirstForeign();
  }
}
