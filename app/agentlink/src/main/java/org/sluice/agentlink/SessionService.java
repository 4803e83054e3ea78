// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.sluice.agentlink.proto.AgentLinkServiceGrpc;
import org.sluice.agentlink.proto.AgentMessage;
import org.sluice.agentlink.proto.ControllerMessage;

/** Opens a session for every call of an agent. */
final class SessionService extends AgentLinkServiceGrpc.AgentLinkServiceImplBase {
  private final HostRegistry registry;
  private final AgentLinkConfig config;
  private final Executor executor;

  /**
   * Numbers all messages of this node. Starts at the time, so that after a restart within the same
   * term agents do not take new decisions for stale ones.
   */
  private final AtomicLong sequence = new AtomicLong(SteadyClock.micros());

  SessionService(HostRegistry registry, AgentLinkConfig config, Executor executor) {
    this.registry = registry;
    this.config = config;
    this.executor = executor;
  }

  @Override
  public StreamObserver<AgentMessage> session(StreamObserver<ControllerMessage> agent) {
    HostSession session =
        new HostSession(
            registry.channel(PeerIdentity.HOST.get()),
            PeerIdentity.SWITCHES.get(),
            registry,
            config,
            (ServerCallStreamObserver<ControllerMessage>) agent,
            executor,
            sequence);
    registry.sessions().add(session);
    return session;
  }
}
