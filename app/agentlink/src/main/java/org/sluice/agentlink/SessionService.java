// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicLong;
import org.sluice.agentlink.proto.AgentLinkServiceGrpc;
import org.sluice.agentlink.proto.AgentMessage;
import org.sluice.agentlink.proto.ControllerMessage;

/** Opens a session for every call of an agent. */
final class SessionService extends AgentLinkServiceGrpc.AgentLinkServiceImplBase {
  private final HostChannels hosts;
  private final AgentLinkConfig config;
  private final Executor executor;
  private final ScheduledExecutorService timer;

  /**
   * Numbers all messages of this node. Starts at the time, so that after a restart within the same
   * term agents do not take new decisions for stale ones.
   */
  private final AtomicLong sequence = new AtomicLong(SteadyClock.micros());

  SessionService(
      HostChannels hosts,
      AgentLinkConfig config,
      Executor executor,
      ScheduledExecutorService timer) {
    this.hosts = hosts;
    this.config = config;
    this.executor = executor;
    this.timer = timer;
  }

  @Override
  public StreamObserver<AgentMessage> session(StreamObserver<ControllerMessage> agent) {
    HostChannel channel = hosts.channel(PeerIdentity.HOST.get());
    if (!channel.beginCall()) {
      return refused(channel, agent);
    }
    HostSession session =
        new HostSession(
            channel,
            PeerIdentity.CERTIFICATE.get(),
            PeerIdentity.SWITCHES.get(),
            hosts,
            config,
            (ServerCallStreamObserver<ControllerMessage>) agent,
            executor,
            timer,
            sequence);
    hosts.sessions().add(session);
    session.checkAccess(hosts.access()); // It may have changed since the call began.
    return session;
  }

  private StreamObserver<AgentMessage> refused(
      HostChannel channel, StreamObserver<ControllerMessage> agent) {
    String reason = "the host has " + HostLimits.CALLS + " calls at once already; an agent has one";
    hosts.refused(channel.host().name(), reason);
    agent.onError(Status.RESOURCE_EXHAUSTED.withDescription(reason).asRuntimeException());
    return new StreamObserver<>() {
      @Override
      public void onNext(AgentMessage message) {}

      @Override
      public void onError(Throwable error) {}

      @Override
      public void onCompleted() {}
    };
  }
}
