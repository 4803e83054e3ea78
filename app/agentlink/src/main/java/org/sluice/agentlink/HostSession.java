// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.sluice.agentlink.proto.AgentMessage;
import org.sluice.agentlink.proto.ControllerMessage;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.FlowAnswer;
import org.sluice.api.link.HostHello;

/**
 * One agent's session: which messages are accepted in which order, and when it ends. gRPC calls it
 * in order. {@link SessionSender} is its other half.
 */
final class HostSession implements StreamObserver<AgentMessage> {
  private static final int MAX_REFUSED_MESSAGES = 100;

  /**
   * How many messages the transport may deliver before more are requested. If each is requested
   * singly, the transport delivers one per turn of two threads, and such a turn takes milliseconds
   * on a busy machine.
   */
  private static final int MESSAGES_AHEAD = 256;

  private final HostChannel channel;
  private final HostRegistry registry;
  private final AgentLinkConfig config;
  private final ServerCallStreamObserver<ControllerMessage> agent;
  private final SessionSender sender;
  private final AgentMessageDecoder decoder;
  private final RateLimit inboundLimit;
  private final long startNanos = System.nanoTime();

  private boolean greeted;
  private long instance;
  private long lastSequence;
  private int refusedMessages;
  private int receivedSinceRequest;

  HostSession(
      HostChannel channel,
      Set<String> switches,
      HostRegistry registry,
      AgentLinkConfig config,
      ServerCallStreamObserver<ControllerMessage> agent,
      Executor executor,
      AtomicLong controllerSequence) {
    this.channel = channel;
    this.registry = registry;
    this.config = config;
    this.agent = agent;
    this.inboundLimit = new RateLimit(config.messagesPerSecond());
    this.decoder = new AgentMessageDecoder(channel.host(), switches, channel.counters());
    this.sender =
        new SessionSender(
            config, channel.counters(), agent, executor, controllerSequence, this::abandon);
    agent.disableAutoRequest();
    agent.request(MESSAGES_AHEAD);
    agent.setOnCancelHandler(this::abandon);
  }

  /** Sends a message, soon and on another thread. */
  void send(long term, DownlinkMessage message) {
    sender.send(term, message);
  }

  // ------------------------------------------------------------ receiving

  @Override
  public void onNext(AgentMessage message) {
    requestMore();
    if (sender.isEnded()) {
      return;
    }
    channel.counters().receivedMessages.increment();
    channel.counters().receivedBytes.add(message.getSerializedSize());
    try {
      if (!inboundLimit.permits(System.nanoTime())) {
        throw BadMessageException.fatal(
            Status.RESOURCE_EXHAUSTED.withDescription(
                "the agent sent more than "
                    + config.messagesPerSecond()
                    + " messages in a second"));
      }
      if (greeted) {
        receive(message);
      } else {
        greet(message);
      }
    } catch (BadMessageException e) {
      refuse(e);
    }
  }

  private void requestMore() {
    receivedSinceRequest++;
    if (receivedSinceRequest == MESSAGES_AHEAD / 2) {
      receivedSinceRequest = 0;
      agent.request(MESSAGES_AHEAD / 2);
    }
  }

  private void greet(AgentMessage message) throws BadMessageException {
    if (message.getBodyCase() != AgentMessage.BodyCase.HELLO) {
      throw BadMessageException.fatal(
          Status.FAILED_PRECONDITION.withDescription(
              "the first message of a session must be a Hello, not "
                  + message.getBodyCase().name()));
    }
    HostHello hello = decoder.hello(message.getHello());
    greeted = true;
    instance = message.getInstance();
    lastSequence = message.getSequence();
    sender.welcome();
    channel
        .open(this, hello)
        .ifPresent(
            replaced ->
                replaced.end(
                    Status.ABORTED.withDescription(
                        "host " + channel.host() + " opened a newer session")));
    sender.open();
    if (sender.isEnded()) {
      // The call ended while it was being announced.
      channel.ended(this);
    }
  }

  private void receive(AgentMessage message) throws BadMessageException {
    if (message.getInstance() != instance) {
      throw BadMessageException.fatal(
          Status.INVALID_ARGUMENT.withDescription(
              "the agent's instance changed within a session; open a new session instead"));
    }
    if (Long.compareUnsigned(message.getSequence(), lastSequence) <= 0) {
      throw BadMessageException.ignored(
          "sequence "
              + Long.toUnsignedString(message.getSequence())
              + " does not follow "
              + Long.toUnsignedString(lastSequence));
    }
    lastSequence = message.getSequence();
    try {
      channel.deliver(this, decoder.decode(message, System.nanoTime()));
    } catch (BadMessageException e) {
      if (message.getBodyCase() == AgentMessage.BodyCase.FLOW_REQUEST) {
        answerBadRequest(message.getFlowRequest().getRequest(), e.getMessage());
      }
      throw e;
    }
    decoder.takeFirstForeign().ifPresent(this::reportForeignSamples);
  }

  /** The application waits for an answer even if its request cannot be decoded. */
  private void answerBadRequest(long request, String reason) {
    send(0, DownlinkMessage.ofFlowAnswer(FlowAnswer.refused(request, "", reason)));
  }

  private void reportForeignSamples(String first) {
    registry.refused(
        channel.host().name(),
        "samples about endpoints that are not this host's are left out, the first about " + first);
  }

  private void refuse(BadMessageException refusal) {
    channel.counters().refusedMessages.increment();
    registry.refused(channel.host().name(), refusal.getMessage());
    refusedMessages++;
    if (refusal.closing().isPresent()) {
      end(refusal.closing().get());
    } else if (refusedMessages >= MAX_REFUSED_MESSAGES) {
      end(
          Status.INVALID_ARGUMENT.withDescription(
              refusedMessages
                  + " messages of this session were refused, the last one because: "
                  + refusal.getMessage()));
    }
  }

  // ------------------------------------------------------------ ending

  /** Keeps the lease alive, and limits the wait for a Hello. */
  void tick(long nowNanos, long renewAfterNanos, long greetWithinNanos) {
    if (sender.isOpen()) {
      sender.renewLease(nowNanos, renewAfterNanos);
    } else if (nowNanos - startNanos >= greetWithinNanos) {
      end(Status.DEADLINE_EXCEEDED.withDescription("the agent sent no Hello in time"));
    }
  }

  @Override
  public void onError(Throwable error) {
    abandon();
  }

  @Override
  public void onCompleted() {
    end(Status.OK);
  }

  /** Ends the session; the agent receives the reason. */
  void end(Status status) {
    sender.end(status);
    forget();
  }

  private void abandon() {
    sender.abandon();
    forget();
  }

  private void forget() {
    registry.sessions().remove(this);
    channel.ended(this);
  }
}
