// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.agentlink.proto.AgentMessage;
import org.sluice.agentlink.proto.ControllerMessage.BodyCase;
import org.sluice.agentlink.proto.FlowAnswer.AnswerCase;
import org.sluice.agentlink.proto.FlowRequest;
import org.sluice.agentlink.proto.RegisteredFlow;
import org.sluice.agentlink.proto.WindowGrant.WindowCase;
import org.sluice.agentlink.proto.WindowGrants;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.Law;
import org.sluice.api.PortId;
import org.sluice.api.TenantId;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.FlowAnswer;
import org.sluice.api.link.FlowReport;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.HostSettings;
import org.sluice.api.link.LossAnswer;
import org.sluice.api.link.Resend;
import org.sluice.api.link.WindowGrant;

/** TCP flows over a real link: reports up, windows and answers down. */
@Timeout(60)
class FlowLinkTest {
  private static final HostId H1 = HostId.of("h1");
  private static final FlowKey FLOW =
      FlowKey.of(IpAddress.parse("10.0.0.1"), 0, IpAddress.parse("10.0.0.5"), 5001);

  @TempDir Path directory;
  private TestLink test;
  private TestAgent agent;

  @BeforeEach
  void greet() throws Exception {
    test = new TestLink(directory);
    agent = test.agent(test.h1);
    agent.send(TestAgent.hello("h1"));
    agent.next();
    test.listener.next(HostHello.class);
  }

  @AfterEach
  void close() {
    agent.close();
    test.close();
  }

  @Test
  void receivesFlowReportsAndFlowRequests() throws Exception {
    agent.send(AgentMessage.newBuilder().setFlowReport(FlowMessagesTest.report()));
    assertThat(test.listener.next(FlowReport.class).flows()).hasSize(1);
    agent.send(
        AgentMessage.newBuilder()
            .setFlowRequest(FlowRequest.newBuilder().setRequest(4).setRemove(17)));
    assertThat(test.listener.next(org.sluice.api.link.FlowRequest.class).remove()).hasValue(17);
  }

  @Test
  void repliesToAnInvalidRequest() throws Exception {
    agent.send(AgentMessage.newBuilder().setFlowRequest(FlowRequest.newBuilder().setRequest(5)));
    org.sluice.agentlink.proto.FlowAnswer answer = agent.next(BodyCase.FLOW_ANSWER).getFlowAnswer();
    assertThat(answer.getRequest()).isEqualTo(5);
    assertThat(answer.getRefused().getDetail()).contains("register, remove or query");
    assertThat(test.listener.next(String.class)).startsWith("refused");
  }

  @Test
  void rejectsLossesOfPortsOfOtherAgents() throws Exception {
    agent.send(AgentMessage.newBuilder().setLossReport(FlowMessagesTest.losses()));
    assertThat(test.listener.next(String.class)).startsWith("refused").contains("did not name");
  }

  @Test
  void sendsWindowGrants() throws Exception {
    FlowKey other = FlowKey.of(FLOW.source(), 4, FLOW.destination(), 5001);
    test.server.send(
        H1,
        3,
        DownlinkMessage.ofWindowGrants(
            List.of(WindowGrant.of(FLOW, 0), WindowGrant.of(other, WindowGrant.RELEASED))));
    WindowGrants grants = agent.next(BodyCase.GRANTS).getGrants();
    assertThat(grants.getGrants(0).getWindowCase()).isEqualTo(WindowCase.WINDOW_BYTES);
    assertThat(grants.getGrants(0).getFlow().getSourcePort()).isZero();
    assertThat(grants.getGrants(0).getFlow().getSource()).isEqualTo(TestAgent.OWN_IP);
    assertThat(grants.getGrants(1).getReleased()).isTrue();
  }

  @Test
  void sendsEveryKindOfReplyToFlowRequests() throws Exception {
    test.server.send(H1, 1, DownlinkMessage.ofFlowAnswer(FlowAnswer.registered(1, 9, true)));
    assertThat(answer().getRegistered().getId()).isEqualTo(9);
    test.server.send(
        H1, 1, DownlinkMessage.ofFlowAnswer(FlowAnswer.cannotBeMet(2, OptionalLong.of(5))));
    assertThat(answer().getCannotBeMet().getEarliestNanos()).isEqualTo(5);
    test.server.send(
        H1, 1, DownlinkMessage.ofFlowAnswer(FlowAnswer.cannotBeMet(2, OptionalLong.empty())));
    assertThat(answer().getCannotBeMet().hasEarliestNanos()).isFalse();
    test.server.send(
        H1,
        1,
        DownlinkMessage.ofFlowAnswer(FlowAnswer.refused(3, "size_bytes", "must be above 0")));
    assertThat(answer().getRefused().getField()).isEqualTo("size_bytes");
    test.server.send(H1, 1, DownlinkMessage.ofFlowAnswer(FlowAnswer.removed(4, false)));
    org.sluice.agentlink.proto.FlowAnswer removed = answer();
    assertThat(removed.getAnswerCase()).isEqualTo(AnswerCase.REMOVED);
    assertThat(removed.getRequest()).isEqualTo(4);
    FlowStatus status =
        FlowStatus.builder()
            .id(9)
            .flow(FLOW)
            .tenant(TenantId.of("red"))
            .sizeBytes(400)
            .remainingBytes(100)
            .deadline(Instant.EPOCH)
            .dueInNanos(-3)
            .promised(true)
            .state(FlowState.NEVER_SENT)
            .build();
    test.server.send(H1, 1, DownlinkMessage.ofFlowAnswer(FlowAnswer.list(5, List.of(status))));
    RegisteredFlow listed = answer().getFlows().getFlows(0);
    assertThat(listed.getState()).isEqualTo("never-sent");
    assertThat(listed.getDueInNanos()).isEqualTo(-3);
    assertThat(listed.getRemainingBytes()).isEqualTo(100);
  }

  private org.sluice.agentlink.proto.FlowAnswer answer() throws Exception {
    return agent.next(BodyCase.FLOW_ANSWER).getFlowAnswer();
  }

  @Test
  void sendsLossAnswersResendsAndFlowSettings() throws Exception {
    test.server.send(
        H1, 1, DownlinkMessage.ofLossAnswers(List.of(LossAnswer.of(FLOW, 4_294_967_294L, 1448))));
    assertThat(agent.next(BodyCase.LOSS_ANSWERS).getLossAnswers().getAnswers(0).getSequence())
        .isEqualTo(-2);
    PortId port = PortId.parse("of:0000000000000001/5");
    test.server.send(H1, 1, DownlinkMessage.ofResends(List.of(Resend.of(port, 9))));
    assertThat(agent.next(BodyCase.RESENDS).getResends().getResends(0).getKept()).isEqualTo(9);
    test.server.send(
        H1,
        1,
        DownlinkMessage.ofSettings(
            HostSettings.of(true, Law.SLUICE, 5000, 0).toBuilder()
                .reportFlows(true)
                .handshakeWaitMicros(5000)
                .reportLosses(true)
                .sendLostFrames(true)
                .signConnections(true)
                .build()));
    org.sluice.agentlink.proto.HostSettings settings = agent.next(BodyCase.SETTINGS).getSettings();
    assertThat(settings.getReportFlows()).isTrue();
    assertThat(settings.getHandshakeWaitMicros()).isEqualTo(5000);
    assertThat(settings.getReportLosses()).isTrue();
    assertThat(settings.getSendLostFrames()).isTrue();
    assertThat(settings.getSignConnections()).isTrue();
  }
}
