// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import com.google.protobuf.UnsafeByteOperations;
import java.util.List;
import org.sluice.agentlink.proto.CannotBeMet;
import org.sluice.agentlink.proto.ControllerMessage;
import org.sluice.agentlink.proto.FlowId;
import org.sluice.agentlink.proto.FlowList;
import org.sluice.agentlink.proto.LossAnswers;
import org.sluice.agentlink.proto.Refused;
import org.sluice.agentlink.proto.Registered;
import org.sluice.agentlink.proto.RegisteredFlow;
import org.sluice.agentlink.proto.Resends;
import org.sluice.agentlink.proto.WindowGrants;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.link.FlowAnswer;
import org.sluice.api.link.LossAnswer;
import org.sluice.api.link.Resend;
import org.sluice.api.link.WindowGrant;

/** Encodes messages to agents about TCP flows. */
final class FlowMessageEncoder {

  private FlowMessageEncoder() {}

  static ControllerMessage.Builder grants(long term, List<WindowGrant> grants) {
    WindowGrants.Builder body = WindowGrants.newBuilder();
    for (WindowGrant grant : grants) {
      org.sluice.agentlink.proto.WindowGrant.Builder one =
          org.sluice.agentlink.proto.WindowGrant.newBuilder().setFlow(flow(grant.flow()));
      if (grant.isReleased()) {
        one.setReleased(true);
      } else {
        one.setWindowBytes(grant.windowBytes());
      }
      body.addGrants(one);
    }
    return ControllerMessage.newBuilder().setTerm(term).setGrants(body);
  }

  static ControllerMessage.Builder flowAnswer(long term, FlowAnswer answer) {
    org.sluice.agentlink.proto.FlowAnswer.Builder body =
        org.sluice.agentlink.proto.FlowAnswer.newBuilder().setRequest(answer.request());
    switch (answer.body().kind()) {
      case REGISTERED:
        FlowAnswer.Registered registered = answer.body().registered();
        body.setRegistered(
            Registered.newBuilder().setId(registered.id()).setPromised(registered.promised()));
        break;
      case CANNOT_BE_MET:
        CannotBeMet.Builder cannot = CannotBeMet.newBuilder();
        answer.body().cannotBeMet().ifPresent(cannot::setEarliestNanos);
        body.setCannotBeMet(cannot);
        break;
      case REFUSED:
        FlowAnswer.Refused refused = answer.body().refused();
        body.setRefused(Refused.newBuilder().setField(refused.field()).setDetail(refused.detail()));
        break;
      case FLOWS:
        FlowList.Builder list = FlowList.newBuilder();
        answer.body().flows().forEach(flow -> list.addFlows(registered(flow)));
        body.setFlows(list);
        break;
      case REMOVED:
        body.setRemoved(answer.body().removed());
        break;
      default:
        throw new IllegalArgumentException("no encoding of answer " + answer.body().kind());
    }
    return ControllerMessage.newBuilder().setTerm(term).setFlowAnswer(body);
  }

  private static RegisteredFlow.Builder registered(FlowStatus flow) {
    return RegisteredFlow.newBuilder()
        .setId(flow.id())
        .setFlow(flow(flow.flow()))
        .setSizeBytes(flow.sizeBytes())
        .setRemainingBytes(flow.remainingBytes())
        .setDueInNanos(flow.dueInNanos())
        .setPromised(flow.promised())
        .setState(flow.state().text());
  }

  static ControllerMessage.Builder lossAnswers(long term, List<LossAnswer> answers) {
    LossAnswers.Builder body = LossAnswers.newBuilder();
    for (LossAnswer answer : answers) {
      body.addAnswers(
          org.sluice.agentlink.proto.LossAnswer.newBuilder()
              .setFlow(flow(answer.flow()))
              .setSequence((int) answer.sequence())
              .setPayloadBytes(answer.payloadBytes()));
    }
    return ControllerMessage.newBuilder().setTerm(term).setLossAnswers(body);
  }

  static ControllerMessage.Builder resends(long term, List<Resend> resends) {
    Resends.Builder body = Resends.newBuilder();
    for (Resend resend : resends) {
      body.addResends(
          org.sluice.agentlink.proto.Resend.newBuilder()
              .setPort(resend.port().toString())
              .setKept(resend.kept()));
    }
    return ControllerMessage.newBuilder().setTerm(term).setResends(body);
  }

  private static FlowId.Builder flow(FlowKey flow) {
    return FlowId.newBuilder()
        // toBytes() returns a fresh array without other references.
        .setSource(UnsafeByteOperations.unsafeWrap(flow.source().toBytes()))
        .setSourcePort(flow.sourcePort())
        .setDestination(UnsafeByteOperations.unsafeWrap(flow.destination().toBytes()))
        .setDestinationPort(flow.destinationPort());
  }
}
