// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sluice.agentlink.proto.FlowId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.deadline.FlowWish;
import org.sluice.api.link.FlowNews;
import org.sluice.api.link.FlowReport;
import org.sluice.api.link.FlowRequest;
import org.sluice.api.link.Loss;
import org.sluice.api.link.LossReport;

/** Checks and converts what one agent says of TCP flows, of wishes about them, and of losses. */
final class FlowReader {
  static final int MAX_FLOWS = 65_536;
  static final int MAX_LOSSES = 4096;
  private static final int MAX_PAYLOAD_BYTES = 65_535;

  private final HostId host;
  private final InboundReader reader;
  private final PortQueueReader queues;

  FlowReader(HostId host, InboundReader reader, PortQueueReader queues) {
    this.host = host;
    this.reader = reader;
    this.queues = queues;
  }

  FlowReport report(org.sluice.agentlink.proto.FlowReport report, long saidNanos)
      throws BadMessageException {
    InboundReader.atMost("flows", report.getFlowsCount(), MAX_FLOWS);
    List<FlowNews> flows = new ArrayList<>(report.getFlowsCount());
    for (org.sluice.agentlink.proto.FlowNews news : report.getFlowsList()) {
      FlowKey flow = exact("flows[].flow", news.getFlow());
      InboundReader.notNegative("flows[].delivered_bytes", news.getDeliveredBytes());
      tenMinutesAtMost("flows[].round_trip_nanos", news.getRoundTripNanos());
      tenMinutesAtMost("flows[].progress_age_nanos", news.getProgressAgeNanos());
      FlowNews.State state = state(news);
      if (reader.isOwn(flow.source())) {
        flows.add(news(news, flow, state));
      } else {
        reader.leaveOut("flow " + flow);
      }
    }
    return FlowReport.of(host, saidNanos, report.getComplete(), flows);
  }

  private static void tenMinutesAtMost(String field, long nanos) throws BadMessageException {
    if (nanos < 0 || nanos > InboundReader.MAX_INTERVAL_NANOS) {
      throw BadMessageException.ignored(
          field + " is " + Long.toUnsignedString(nanos) + "; expected up to 10 minutes");
    }
  }

  private static FlowNews news(
      org.sluice.agentlink.proto.FlowNews news, FlowKey flow, FlowNews.State state) {
    FlowNews read =
        FlowNews.of(
                flow,
                state,
                news.getDeliveredBytes(),
                news.getRoundTripNanos(),
                news.getScaleUnknown())
            .progressedBefore(news.getProgressAgeNanos());
    return news.hasAcknowledgedSequence()
        ? read.acknowledgedTo(Integer.toUnsignedLong(news.getAcknowledgedSequence()))
        : read;
  }

  private static FlowNews.State state(org.sluice.agentlink.proto.FlowNews news)
      throws BadMessageException {
    switch (news.getState()) {
      case OPENED:
        return FlowNews.State.OPENED;
      case ESTABLISHED:
        return FlowNews.State.ESTABLISHED;
      case CLOSED:
        return FlowNews.State.CLOSED;
      default:
        throw BadMessageException.ignored("flows[].state " + news.getStateValue() + " is unknown");
    }
  }

  /** The size and the time of a wish are the application's, and checked where they are answered. */
  FlowRequest request(org.sluice.agentlink.proto.FlowRequest request) throws BadMessageException {
    switch (request.getWhatCase()) {
      case REGISTER:
        org.sluice.agentlink.proto.FlowWish wish = request.getRegister();
        return FlowRequest.register(
            host,
            request.getRequest(),
            FlowWish.of(
                flow("register.flow", wish.getFlow()),
                wish.getSizeBytes(),
                wish.getDueInNanos(),
                wish.getForce()));
      case REMOVE:
        return FlowRequest.remove(host, request.getRequest(), request.getRemove());
      case QUERY:
        return FlowRequest.list(host, request.getRequest());
      default:
        throw BadMessageException.ignored(
            "flow_request asks for nothing that is known here; use register, remove or query");
    }
  }

  LossReport losses(org.sluice.agentlink.proto.LossReport report, long receivedNanos)
      throws BadMessageException {
    InboundReader.atMost("losses", report.getLossesCount(), MAX_LOSSES);
    List<Loss> losses = new ArrayList<>(report.getLossesCount());
    for (org.sluice.agentlink.proto.Loss loss : report.getLossesList()) {
      int payload = loss.getPayloadBytes();
      if (payload <= 0 || payload > MAX_PAYLOAD_BYTES) {
        throw BadMessageException.ignored(
            "losses[].payload_bytes is "
                + Integer.toUnsignedString(payload)
                + "; expected 1 to "
                + MAX_PAYLOAD_BYTES);
      }
      losses.add(
          Loss.of(
              queues.port("losses[].port", loss.getPort()),
              exact("losses[].flow", loss.getFlow()),
              Integer.toUnsignedLong(loss.getSequence()),
              payload,
              loss.getKept()));
    }
    return LossReport.of(host, receivedNanos, losses);
  }

  private FlowKey exact(String field, FlowId id) throws BadMessageException {
    FlowKey flow = flow(field, id);
    if (!flow.isExact()) {
      throw BadMessageException.ignored(
          field + " is " + flow + "; expected both ports, none of them 0");
    }
    return flow;
  }

  private FlowKey flow(String field, FlowId id) throws BadMessageException {
    IpAddress source = reader.address(field + ".source", id.getSource());
    IpAddress destination = reader.address(field + ".destination", id.getDestination());
    Optional<String> flaw =
        FlowKey.flaw(source, id.getSourcePort(), destination, id.getDestinationPort());
    if (flaw.isPresent()) {
      throw BadMessageException.ignored(field + ": " + flaw.get());
    }
    return FlowKey.of(source, id.getSourcePort(), destination, id.getDestinationPort());
  }
}
