// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.sluice.agentlink.proto.AgentMessage;
import org.sluice.agentlink.proto.ControllerMessage;
import org.sluice.agentlink.proto.FlowRequest;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.FlowAnswer;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.UplinkMessage;

/**
 * One agent's session. gRPC calls the receiving half in order; the sending half hands out what
 * waits in the outbox as fast as the transport takes it, on the link's own threads.
 */
final class HostSession implements StreamObserver<AgentMessage> {
  private static final int MAX_REFUSED_MESSAGES = 100;

  /**
   * So many messages the transport may hand over before it is asked for more. Asked for each one
   * singly it hands over one per turn of two threads, and a busy machine takes milliseconds for
   * such a turn.
   */
  private static final int MESSAGES_AHEAD = 256;

  private final HostChannel channel;
  private final HostRegistry registry;
  private final AgentLinkConfig config;
  private final ServerCallStreamObserver<ControllerMessage> agent;
  private final Executor executor;
  private final AtomicLong controllerSequence;
  private final Outbox outbox;
  private final PortQueueReader queues;
  private final InboundReader reader;
  private final FlowReader flows;
  private final AgentClock clock = new AgentClock();
  private final RateLimit inboundLimit;
  private final long startNanos = System.nanoTime();

  private boolean greeted;
  private long instance;
  private long lastSequence;
  private int refusedMessages;
  private int takenMessages;

  private final AtomicBoolean drainDue = new AtomicBoolean();
  private final Object sending = new Object();
  private volatile boolean ended;
  private volatile boolean open;
  private volatile long lastSentNanos;

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
    this.executor = executor;
    this.controllerSequence = controllerSequence;
    this.inboundLimit = new RateLimit(config.messagesPerSecond());
    this.outbox = new Outbox(channel.counters());
    this.queues = new PortQueueReader(channel.host(), switches);
    this.reader = new InboundReader(channel.host(), queues, channel.counters());
    this.flows = new FlowReader(channel.host(), reader, queues);
    agent.disableAutoRequest();
    agent.request(MESSAGES_AHEAD);
    agent.setOnReadyHandler(this::flush);
    agent.setOnCancelHandler(this::gone);
  }

  // ------------------------------------------------------------ receiving

  @Override
  public void onNext(AgentMessage message) {
    askForMore();
    if (ended) {
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
      receive(message);
    } catch (BadMessageException e) {
      refuse(e);
    }
  }

  private void askForMore() {
    takenMessages++;
    if (takenMessages == MESSAGES_AHEAD / 2) {
      takenMessages = 0;
      agent.request(MESSAGES_AHEAD / 2);
    }
  }

  private void receive(AgentMessage message) throws BadMessageException {
    if (!greeted) {
      greet(message);
      return;
    }
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
    long saidNanos = clock.saidNanos(message.getMonotonicNanos(), System.nanoTime());
    switch (message.getBodyCase()) {
      case OBSERVATION:
        deliver(
            UplinkMessage.ofObservation(
                reader.observation(message.getObservation(), System.nanoTime())));
        reader.takeFirstForeign().ifPresent(this::tellOfForeignSamples);
        break;
      case PORT_OBSERVATION:
        deliver(
            UplinkMessage.ofPortQueues(
                queues.observation(message.getPortObservation(), System.nanoTime())));
        break;
      case FLOW_REPORT:
        deliver(UplinkMessage.ofFlowReport(flows.report(message.getFlowReport(), saidNanos)));
        reader.takeFirstForeign().ifPresent(this::tellOfForeignSamples);
        break;
      case FLOW_REQUEST:
        request(message.getFlowRequest());
        break;
      case LOSS_REPORT:
        deliver(
            UplinkMessage.ofLossReport(flows.losses(message.getLossReport(), System.nanoTime())));
        break;
      case EVENT:
        deliver(UplinkMessage.ofEvent(reader.event(message.getEvent())));
        break;
      case HELLO:
        throw BadMessageException.fatal(
            Status.FAILED_PRECONDITION.withDescription(
                "a second Hello within a session; open a new session instead"));
      default:
        throw BadMessageException.ignored("a message without a body that is known here");
    }
  }

  private void deliver(UplinkMessage message) {
    channel.deliver(this, message);
  }

  /** Somebody waits for an answer, even to what makes no sense. */
  private void request(FlowRequest request) throws BadMessageException {
    try {
      deliver(UplinkMessage.ofFlowRequest(flows.request(request)));
    } catch (BadMessageException e) {
      send(
          0,
          DownlinkMessage.ofFlowAnswer(
              FlowAnswer.refused(request.getRequest(), "", e.getMessage())));
      throw e;
    }
  }

  private void greet(AgentMessage message) throws BadMessageException {
    if (message.getBodyCase() != AgentMessage.BodyCase.HELLO) {
      throw BadMessageException.fatal(
          Status.FAILED_PRECONDITION.withDescription(
              "the first message of a session must be a Hello, not "
                  + message.getBodyCase().name()));
    }
    HostHello hello = reader.hello(message.getHello());
    greeted = true;
    instance = message.getInstance();
    lastSequence = message.getSequence();
    outbox.welcome(config.controllerVersion());
    channel
        .open(this, hello)
        .ifPresent(
            replaced ->
                replaced.end(
                    Status.ABORTED.withDescription(
                        "host " + channel.host() + " opened a newer session")));
    lastSentNanos = System.nanoTime();
    open = true;
    flush();
    if (ended) {
      // The call went away while it was being announced.
      channel.ended(this);
    }
  }

  private void tellOfForeignSamples(String first) {
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

  @Override
  public void onError(Throwable error) {
    gone();
  }

  @Override
  public void onCompleted() {
    end(Status.OK);
  }

  // ------------------------------------------------------------ sending

  /** Sends a message, soon and on another thread. */
  void send(long term, DownlinkMessage message) {
    outbox.add(term, message);
    flush();
  }

  private void flush() {
    if (drainDue.compareAndSet(false, true)) {
      try {
        executor.execute(this::drain);
      } catch (RejectedExecutionException e) {
        // The server is closing, and this session with it.
        gone();
      }
    }
  }

  /** Keeps the lease alive, and does not wait for a greeting for ever. */
  void tick(long nowNanos, long renewAfterNanos, long greetWithinNanos) {
    if (open) {
      if (nowNanos - lastSentNanos >= renewAfterNanos) {
        outbox.leaseRenewal();
        flush();
      }
    } else if (nowNanos - startNanos >= greetWithinNanos) {
      end(Status.DEADLINE_EXCEEDED.withDescription("the agent sent no Hello in time"));
    }
  }

  private void drain() {
    drainDue.set(false);
    synchronized (sending) {
      while (!ended && open && agent.isReady()) {
        ControllerMessage.Builder next = outbox.poll();
        if (next == null) {
          return;
        }
        // Numbered here and not on enqueueing: what leaves later must never look older.
        ControllerMessage message =
            next.setNode(config.nodeName())
                .setSequence(controllerSequence.incrementAndGet())
                .setLeaseMillis(config.leaseMillis())
                .build();
        agent.onNext(message);
        lastSentNanos = System.nanoTime();
        channel.counters().sentMessages.increment();
        channel.counters().sentBytes.add(message.getSerializedSize());
      }
    }
  }

  // ------------------------------------------------------------ ending

  /** Ends the session; the agent is told why. */
  void end(Status status) {
    synchronized (sending) {
      if (!ended) {
        ended = true;
        if (!agent.isCancelled()) {
          if (status.isOk()) {
            agent.onCompleted();
          } else {
            agent.onError(status.asRuntimeException());
          }
        }
      }
    }
    forget();
  }

  private void gone() {
    synchronized (sending) {
      ended = true;
    }
    forget();
  }

  private void forget() {
    registry.sessions().remove(this);
    channel.ended(this);
  }
}
