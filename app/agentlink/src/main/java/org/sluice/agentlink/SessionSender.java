// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.sluice.agentlink.proto.ControllerMessage;
import org.sluice.api.link.DownlinkMessage;

/**
 * The sending half of one agent's session: sends the messages of its outbox as fast as the
 * transport accepts them, on the link's own threads, and keeps the lease alive.
 */
final class SessionSender {
  private final AgentLinkConfig config;
  private final HostCounters counters;
  private final ServerCallStreamObserver<ControllerMessage> agent;
  private final Executor executor;
  private final AtomicLong sequence;
  private final Runnable rejected;
  private final Outbox outbox;

  private final AtomicBoolean drainDue = new AtomicBoolean();
  private final Object sending = new Object();
  private volatile boolean open;
  private volatile boolean ended;
  private volatile long lastSentNanos;

  /**
   * The sending half of a session that is not open yet.
   *
   * @param sequence numbers all messages of this node
   * @param rejected runs when the executor takes no more work, for the server is closing
   */
  SessionSender(
      AgentLinkConfig config,
      HostCounters counters,
      ServerCallStreamObserver<ControllerMessage> agent,
      Executor executor,
      AtomicLong sequence,
      Runnable rejected) {
    this.config = config;
    this.counters = counters;
    this.agent = agent;
    this.executor = executor;
    this.sequence = sequence;
    this.rejected = rejected;
    this.outbox = new Outbox(counters);
    agent.setOnReadyHandler(this::flush);
  }

  /** Has the welcome sent before everything else. */
  void welcome() {
    outbox.welcome(config.controllerVersion());
  }

  /** Begins to send. */
  void open() {
    lastSentNanos = System.nanoTime();
    open = true;
    flush();
  }

  boolean isOpen() {
    return open;
  }

  boolean isEnded() {
    return ended;
  }

  /** Sends a message, soon and on another thread. */
  void send(long term, DownlinkMessage message) {
    outbox.add(term, message);
    flush();
  }

  /** Sends a lease renewal if nothing was sent for so long. */
  void renewLease(long nowNanos, long renewAfterNanos) {
    if (nowNanos - lastSentNanos >= renewAfterNanos) {
      outbox.leaseRenewal();
      flush();
    }
  }

  private void flush() {
    if (drainDue.compareAndSet(false, true)) {
      try {
        executor.execute(this::drain);
      } catch (RejectedExecutionException e) {
        rejected.run();
      }
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
        // Numbered here and not on enqueueing: what is sent later must never look older.
        ControllerMessage message =
            next.setNode(config.nodeName())
                .setSequence(sequence.incrementAndGet())
                .setLeaseMillis(config.leaseMillis())
                .build();
        agent.onNext(message);
        lastSentNanos = System.nanoTime();
        counters.sentMessages.increment();
        counters.sentBytes.add(message.getSerializedSize());
      }
    }
  }

  /** Ends the call; the agent receives the status. */
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
  }

  /** The call is gone: nothing more is sent. */
  void abandon() {
    synchronized (sending) {
      ended = true;
    }
  }
}
