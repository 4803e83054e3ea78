// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.security.cert.X509Certificate;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.sluice.agentlink.proto.AgentMessage;
import org.sluice.agentlink.proto.ControllerMessage;
import org.sluice.agentlink.proto.Event;
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
  private static final int MESSAGES_AHEAD = 64;

  private final HostChannel channel;
  private final X509Certificate certificate;
  private final HostChannels hosts;
  private final AgentLinkConfig config;
  private final ServerCallStreamObserver<ControllerMessage> agent;
  private final SessionSender sender;
  private final AgentMessageDecoder decoder;
  private final RateLimit inboundLimit;
  private final ScheduledExecutorService timer;
  private final long startNanos = System.nanoTime();
  private final InboundPace pace = new InboundPace(startNanos);

  private boolean greeted;
  private long instance;
  private long lastSequence;
  private int refusedMessages;
  private int receivedSinceRequest;

  HostSession(
      HostChannel channel,
      X509Certificate certificate,
      Set<String> switches,
      HostChannels hosts,
      AgentLinkConfig config,
      ServerCallStreamObserver<ControllerMessage> agent,
      Executor executor,
      ScheduledExecutorService timer,
      AtomicLong controllerSequence) {
    this.channel = channel;
    this.certificate = certificate;
    this.hosts = hosts;
    this.config = config;
    this.agent = agent;
    this.timer = timer;
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
    long now = System.nanoTime();
    int bytes = message.getSerializedSize();
    boolean quarantined = channel.quarantine().reason().isPresent();
    pace.took(quarantined ? Math.max(bytes, InboundPace.QUARANTINED_BYTES) : bytes, now);
    requestMore(now);
    if (sender.isEnded()) {
      return;
    }
    channel.counters().receivedMessages.increment();
    channel.counters().receivedBytes.add(bytes);
    try {
      checkLimits(bytes, now);
      if (greeted && quarantined) {
        discard(message);
      } else if (greeted) {
        receive(message);
      } else {
        greet(message);
      }
    } catch (BadMessageException e) {
      refuse(!greeted && e.isOverLimit() ? e.ending() : e, now);
    }
  }

  private void checkLimits(int bytes, long nowNanos) throws BadMessageException {
    if (bytes > HostLimits.MESSAGE_BYTES) {
      throw BadMessageException.overLimit(
          "a message of " + bytes + " bytes; at most " + HostLimits.MESSAGE_BYTES);
    }
    if (!inboundLimit.permits(nowNanos)) {
      throw BadMessageException.overLimit(
          "the agent sent more than " + config.messagesPerSecond() + " messages in a second");
    }
  }

  /** An application waits for an answer, quarantine or not. */
  private void discard(AgentMessage message) {
    channel.counters().quarantinedMessages.increment();
    if (message.getBodyCase() == AgentMessage.BodyCase.FLOW_REQUEST) {
      answerBadRequest(message.getFlowRequest().getRequest(), quarantineReason());
    }
  }

  private String quarantineReason() {
    return "host "
        + channel.host()
        + " is in quarantine for "
        + channel.quarantine().secondsLeft(System.nanoTime())
        + " s more: "
        + channel.quarantine().reason().orElse("");
  }

  private void requestMore(long nowNanos) {
    receivedSinceRequest++;
    if (receivedSinceRequest == MESSAGES_AHEAD / 2) {
      receivedSinceRequest = 0;
      long pauseNanos = pace.pauseNanos(nowNanos);
      if (pauseNanos == 0) {
        agent.request(MESSAGES_AHEAD / 2);
      } else {
        requestAfter(pauseNanos);
      }
    }
  }

  private void requestAfter(long nanos) {
    try {
      timer.schedule(() -> agent.request(MESSAGES_AHEAD / 2), nanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      abandon(); // The server is closing.
    }
  }

  private void greet(AgentMessage message) throws BadMessageException {
    if (message.getBodyCase() != AgentMessage.BodyCase.HELLO) {
      throw BadMessageException.fatal(
          Status.FAILED_PRECONDITION.withDescription(
              "the first message of a session must be a Hello, not "
                  + message.getBodyCase().name()));
    }
    if (channel.quarantine().reason().isPresent()) {
      throw BadMessageException.fatal(
          Status.RESOURCE_EXHAUSTED.withDescription(quarantineReason()));
    }
    channel.checkEndpointList(System.nanoTime());
    HostHello hello =
        decoder
            .hello(message.getHello())
            .withCertificateNotAfter(certificate.getNotAfter().toInstant());
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
    if (message.getBodyCase() == AgentMessage.BodyCase.EVENT
        && message.getEvent().getKind() == Event.Kind.KIND_ENDPOINTS_CHANGED) {
      channel.checkEndpointList(System.nanoTime());
    }
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
    hosts.refused(
        channel.host().name(),
        "samples about endpoints that are not this host's are left out, the first about " + first);
  }

  private void refuse(BadMessageException refusal, long nowNanos) {
    if (refusal.isOverLimit()) {
      channel.exceeded(refusal.getMessage(), nowNanos);
    }
    channel.counters().refusedMessages.increment();
    hosts.refused(channel.host().name(), refusal.getMessage());
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

  /** Ends the session if its host may not have one any more. */
  void checkAccess(HostAccess access) {
    access
        .objection(channel.host(), certificate)
        .ifPresent(
            reason -> {
              hosts.refused(channel.host().name(), reason);
              end(Status.PERMISSION_DENIED.withDescription(reason));
            });
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
    if (hosts.sessions().remove(this)) {
      channel.callEnded();
    }
    channel.ended(this);
  }
}
