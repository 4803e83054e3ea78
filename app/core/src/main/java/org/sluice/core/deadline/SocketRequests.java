// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.stream.Collectors;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.SluiceException;
import org.sluice.api.deadline.DeadlineRequest;
import org.sluice.api.deadline.FlowAdminService;
import org.sluice.api.deadline.FlowDecision;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.link.AgentLink;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.FlowAnswer;
import org.sluice.api.link.FlowRequest;
import org.sluice.core.registry.ReportedEndpoints;

/**
 * Answers requests of applications through their host's agent: about flows of that host's
 * endpoints, and of no others.
 */
final class SocketRequests {
  /** Most requests of a host that wait for their answers. */
  static final int MOST_WAITING = 1000;

  private final FlowAdminService flows;
  private final ReportedEndpoints endpoints;
  private final AgentLink link;
  private final long term;
  private final ExecutorService executor;

  /** How many requests of each host wait for their answers. */
  private final Map<HostId, Integer> waiting = new ConcurrentHashMap<>();

  SocketRequests(
      FlowAdminService flows,
      ReportedEndpoints endpoints,
      AgentLink link,
      long term,
      ExecutorService executor) {
    this.flows = flows;
    this.endpoints = endpoints;
    this.link = link;
    this.term = term;
    this.executor = executor;
  }

  void answer(FlowRequest request) {
    if (waiting.merge(request.host(), 1, Integer::sum) > MOST_WAITING) {
      String detail =
          MOST_WAITING + " requests of this host wait for their answers already; try again later";
      send(request.host(), FlowAnswer.refused(request.request(), "", detail));
      return;
    }
    if (request.register().isPresent()) {
      register(request, request.register().get());
    } else {
      executor.execute(() -> answerNow(request));
    }
  }

  private void register(FlowRequest request, DeadlineRequest deadline) {
    if (!isOf(request.host(), deadline.flow().source())) {
      String detail =
          deadline.flow().source()
              + " is not an endpoint of host "
              + request.host()
              + "; register flows that this host's endpoints send";
      send(request.host(), FlowAnswer.refused(request.request(), "source", detail));
      return;
    }
    flows
        .by(author(request))
        .registerLater(deadline)
        .whenComplete(
            (decision, failure) ->
                send(
                    request.host(),
                    failure == null
                        ? answer(request.request(), decision)
                        : refusal(request.request(), failure)));
  }

  private static FlowAnswer answer(long request, FlowDecision decision) {
    return decision
        .flow()
        .map(flow -> FlowAnswer.registered(request, flow.id(), flow.promised()))
        .orElseGet(() -> FlowAnswer.cannotBeMet(request, decision.admission().earliestNanos()));
  }

  private void answerNow(FlowRequest request) {
    FlowAnswer answer;
    try {
      answer =
          request.remove().isPresent()
              ? FlowAnswer.removed(request.request(), remove(request))
              : list(request);
    } catch (SluiceException e) {
      answer = refusal(request.request(), e);
    }
    send(request.host(), answer);
  }

  private static String author(FlowRequest request) {
    return "an application on host " + request.host();
  }

  /** Others' registrations are treated as if they were not there. */
  private boolean remove(FlowRequest request) throws SluiceException {
    long id = request.remove().getAsLong();
    Optional<FlowStatus> flow = flows.flow(id);
    if (flow.isEmpty() || !isOf(request.host(), flow.get().flow().source())) {
      return false;
    }
    flows.by(author(request)).remove(id);
    return true;
  }

  private FlowAnswer list(FlowRequest request) throws SluiceException {
    return FlowAnswer.list(
        request.request(),
        flows.flows().stream()
            .filter(flow -> isOf(request.host(), flow.flow().source()))
            .collect(Collectors.toList()));
  }

  private boolean isOf(HostId host, IpAddress source) {
    return endpoints.holder(source).filter(it -> it.id().host().equals(host)).isPresent();
  }

  private static FlowAnswer refusal(long request, Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause instanceof SluiceException) {
      SluiceException refusal = (SluiceException) cause;
      return FlowAnswer.refused(
          request, refusal.field().orElse(""), refusal.getMessage() + ". " + refusal.remedy());
    }
    return FlowAnswer.refused(request, "", "The controller failed: " + cause);
  }

  /** Every request has one answer. */
  private void send(HostId host, FlowAnswer answer) {
    waiting.computeIfPresent(host, (h, count) -> count == 1 ? null : count - 1);
    link.send(host, term, DownlinkMessage.ofFlowAnswer(answer));
  }
}
