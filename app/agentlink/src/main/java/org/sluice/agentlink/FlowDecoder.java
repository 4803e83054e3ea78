// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sluice.agentlink.proto.FlowId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.deadline.DeadlineRequest;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.link.FlowReport;
import org.sluice.api.link.FlowRequest;
import org.sluice.api.link.FlowUpdate;
import org.sluice.api.link.Loss;
import org.sluice.api.link.LossReport;

/** Checks and decodes reports of TCP flows and of losses, and requests about deadlines. */
final class FlowDecoder {
  static final int MAX_FLOWS = 65_536;
  static final int MAX_LOSSES = 4096;
  private static final int MAX_PAYLOAD_BYTES = 65_535;
  private static final int MAX_FRAME_BYTES = 2048; // what agents keep

  private final HostId host;
  private final OwnEndpoints own;
  private final AddressDecoder addresses;
  private final PortQueueDecoder queues;

  FlowDecoder(HostId host, OwnEndpoints own, AddressDecoder addresses, PortQueueDecoder queues) {
    this.host = host;
    this.own = own;
    this.addresses = addresses;
    this.queues = queues;
  }

  FlowReport report(org.sluice.agentlink.proto.FlowReport report, long sentNanos)
      throws BadMessageException {
    FieldChecks.atMost("flows", report.getFlowsCount(), MAX_FLOWS);
    List<FlowUpdate> flows = new ArrayList<>(report.getFlowsCount());
    for (org.sluice.agentlink.proto.FlowUpdate update : report.getFlowsList()) {
      FlowKey flow = exact("flows[].flow", update.getFlow());
      FieldChecks.notNegative("flows[].delivered_bytes", update.getDeliveredBytes());
      FieldChecks.duration("flows[].round_trip_nanos", update.getRoundTripNanos());
      FieldChecks.duration("flows[].progress_age_nanos", update.getProgressAgeNanos());
      FlowUpdate.State state = state(update);
      if (own.has(flow.source())) {
        flows.add(update(update, flow, state));
      } else {
        own.leaveOut("flow " + flow);
      }
    }
    return FlowReport.of(host, sentNanos, report.getComplete(), flows);
  }

  private static FlowUpdate update(
      org.sluice.agentlink.proto.FlowUpdate update, FlowKey flow, FlowUpdate.State state) {
    FlowUpdate decoded =
        FlowUpdate.of(
                flow,
                state,
                update.getDeliveredBytes(),
                update.getRoundTripNanos(),
                update.getScaleUnknown())
            .progressedBefore(update.getProgressAgeNanos());
    return update.hasAcknowledgedSequence()
        ? decoded.acknowledgedTo(Integer.toUnsignedLong(update.getAcknowledgedSequence()))
        : decoded;
  }

  private static FlowUpdate.State state(org.sluice.agentlink.proto.FlowUpdate update)
      throws BadMessageException {
    switch (update.getState()) {
      case STATE_OPENED:
        return FlowUpdate.State.OPENED;
      case STATE_ESTABLISHED:
        return FlowUpdate.State.ESTABLISHED;
      case STATE_CLOSED:
        return FlowUpdate.State.CLOSED;
      default:
        throw BadMessageException.ignored(
            "flows[].state " + update.getStateValue() + " is unknown");
    }
  }

  /** Size and time of a deadline are checked where they are answered. */
  FlowRequest request(org.sluice.agentlink.proto.FlowRequest request) throws BadMessageException {
    switch (request.getOperationCase()) {
      case REGISTER:
        org.sluice.agentlink.proto.DeadlineRequest deadline = request.getRegister();
        return FlowRequest.register(
            host,
            request.getRequest(),
            DeadlineRequest.of(
                    flow("register.flow", deadline.getFlow()),
                    deadline.getSizeBytes(),
                    deadline.getDueInNanos(),
                    deadline.getForce())
                .beginningIn(deadline.getBeginsInNanos()));
      case REMOVE:
        return FlowRequest.remove(host, request.getRequest(), request.getRemove());
      case QUERY:
        return FlowRequest.list(host, request.getRequest());
      default:
        throw BadMessageException.ignored(
            "flow_request has no known operation; use register, remove or query");
    }
  }

  LossReport losses(org.sluice.agentlink.proto.LossReport report, long receivedNanos)
      throws BadMessageException {
    FieldChecks.atMost("losses", report.getLossesCount(), MAX_LOSSES);
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
      Loss lost =
          Loss.of(
              queues.port("losses[].port", loss.getPort()),
              exact("losses[].flow", loss.getFlow()),
              Integer.toUnsignedLong(loss.getSequence()),
              payload,
              loss.getKept());
      losses.add(loss.getFrame().isEmpty() ? lost : lost.withFrame(frame(loss, payload)));
    }
    return LossReport.of(host, receivedNanos, losses);
  }

  private static byte[] frame(org.sluice.agentlink.proto.Loss loss, int payload)
      throws BadMessageException {
    int bytes = loss.getFrame().size();
    if (bytes <= payload || bytes > MAX_FRAME_BYTES) {
      throw BadMessageException.ignored(
          "losses[].frame has "
              + bytes
              + " bytes; expected more than its payload_bytes and at most "
              + MAX_FRAME_BYTES);
    }
    return loss.getFrame().toByteArray();
  }

  /** A flow with both of its ports. */
  FlowKey exact(String field, FlowId id) throws BadMessageException {
    FlowKey flow = flow(field, id);
    if (!flow.isExact()) {
      throw BadMessageException.ignored(
          field + " is " + flow + "; expected both ports, none of them 0");
    }
    return flow;
  }

  private FlowKey flow(String field, FlowId id) throws BadMessageException {
    IpAddress source = addresses.address(field + ".source", id.getSource());
    IpAddress destination = addresses.address(field + ".destination", id.getDestination());
    Optional<String> flaw =
        FlowKey.flaw(source, id.getSourcePort(), destination, id.getDestinationPort());
    if (flaw.isPresent()) {
      throw BadMessageException.ignored(field + ": " + flaw.get());
    }
    return FlowKey.of(source, id.getSourcePort(), destination, id.getDestinationPort());
  }
}
