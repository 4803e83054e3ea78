// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import com.google.protobuf.InvalidProtocolBufferException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.sluice.agentlink.proto.AgentMessage;
import org.sluice.api.HostId;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.api.link.AgentLinkListener;
import org.sluice.api.link.FlowReport;
import org.sluice.api.link.HostEvent;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.LossReport;
import org.sluice.api.link.PortQueueObservation;

/**
 * A link to one agent that does not exist: what this listener hears the agent says, and it comes to
 * the link's listeners by way of its bytes; what the agent is told becomes bytes that nobody reads.
 * There is no socket and no thread. For running what a first message will need before that comes,
 * when every millisecond counts: a virtual machine takes tens of them for code that it has never
 * run. Not thread-safe.
 */
public final class LinkRehearsal extends SessionLink implements AgentLinkListener {
  private final RehearsedCall call = new RehearsedCall();
  private final HostSession session;
  private long sequence;

  /**
   * One whose agent has not said anything.
   *
   * @param hello what it will introduce itself with; names an uplink
   */
  public LinkRehearsal(HostHello hello) {
    session =
        new HostSession(
            registry.channel(hello.host()),
            hello.switchPorts().stream().map(PortId::datapath).collect(Collectors.toSet()),
            registry,
            config(),
            call,
            Runnable::run,
            new AtomicLong());
    registry.sessions().add(session);
  }

  private static AgentLinkConfig config() {
    Path unread = Path.of("");
    try {
      return AgentLinkConfig.builder()
          .nodeName("rehearsal")
          .keyFile(unread)
          .certificateFile(unread)
          .trustFile(unread)
          .messagesPerSecond(Integer.MAX_VALUE)
          .build();
    } catch (SluiceException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void connected(HostHello hello) {
    says(AgentForm.hello(hello));
  }

  @Override
  public void flowsReported(FlowReport report) {
    says(AgentForm.flowReport(report));
  }

  @Override
  public void queued(PortQueueObservation observation) {
    says(AgentForm.portObservation(observation));
  }

  @Override
  public void lost(LossReport report) {
    says(AgentForm.lossReport(report));
  }

  // What is no matter of a first deadline is not rehearsed.

  @Override
  public void observed(HostObservation observation) {}

  @Override
  public void happened(HostEvent event) {}

  @Override
  public void disconnected(HostId host) {}

  private void says(AgentMessage.Builder message) {
    byte[] bytes =
        message
            .setInstance(1)
            .setSequence(++sequence)
            .setMonotonicNanos(System.nanoTime())
            .build()
            .toByteArray();
    try {
      session.onNext(AgentMessage.parseFrom(bytes));
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException(e);
    }
    if (call.isEnded() || registry.refusals() > 0) {
      throw new IllegalStateException("the agent of a rehearsal said what makes no sense");
    }
  }
}
