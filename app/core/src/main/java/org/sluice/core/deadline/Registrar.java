// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.SluiceException;
import org.sluice.core.cluster.ClusterClock;
import org.sluice.core.deadline.FlowStore.VersionedLog;
import org.sluice.core.inbox.EngineInbox;
import org.sluice.core.runtime.Execution;
import org.sluice.core.spi.StorageUnavailableException;
import org.sluice.engine.deadline.AdmissionSnapshot;

/**
 * Decides about registrations, on a thread of its own, those that wait together: two must not both
 * be promised the same space, neither here nor on another node. What is promised already it gets
 * from the engine thread, but admission is reckoned on its own.
 */
final class Registrar implements Execution.Cycle {
  private static final Logger log = LoggerFactory.getLogger(Registrar.class);
  private static final int MOST_WAITING = 20_000;
  private static final int MOST_AT_ONCE = 500;

  /** Each one lost means that another node decided: with a few nodes so many never come. */
  private static final int ATTEMPTS = 50;

  private static final long NOTHING_KNOWN = -1;

  /** How long a change of paths may wait. */
  private static final long REVIEW_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** How often the thread does what else there is. */
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final FlowStore store;
  private final EngineInbox inbox;
  private final DeadlineLoop loop;
  private final FlowJournal journal;
  private final Execution execution;
  private final ClusterClock clusterClock;
  private final BooleanSupplier leads;
  private final Runnable whenIdle;

  /** What could be kept before paths or capacities changed. */
  private final Queue<AdmissionSnapshot> changes = new ConcurrentLinkedQueue<>();

  private final BlockingQueue<RegistrationRequest> waiting =
      new LinkedBlockingQueue<>(MOST_WAITING);
  private volatile Execution.Loop thread;

  /** Done when nothing that was decided lacks its entry. */
  private volatile CompletableFuture<Void> written = CompletableFuture.completedFuture(null);

  // Registrar thread only:
  /** The number of the registration log up to which all decisions are known here. */
  private long knownNumber = NOTHING_KNOWN;

  private long nextIdleNanos;

  /**
   * One that decides nothing yet.
   *
   * @param leads whether this node is the one that maintains promises that were made
   * @param whenIdle what there is to do besides
   */
  Registrar(
      FlowStore store,
      EngineInbox inbox,
      DeadlineLoop loop,
      FlowJournal journal,
      Execution execution,
      ClusterClock clusterClock,
      BooleanSupplier leads,
      Runnable whenIdle) {
    this.store = store;
    this.inbox = inbox;
    this.loop = loop;
    this.journal = journal;
    this.execution = execution;
    this.clusterClock = clusterClock;
    this.leads = leads;
    this.whenIdle = whenIdle;
    this.nextIdleNanos = execution.clock().nanoTime();
  }

  void start() {
    thread = execution.loop("registrar", this);
  }

  void stop() {
    Execution.Loop stopped = thread;
    thread = null;
    stopped.close();
    waiting.forEach(
        request ->
            request.answer.completeExceptionally(
                FlowCheck.unavailable("The controller is stopping")));
  }

  /** Has it decided; the answer completes the request. */
  void decide(RegistrationRequest request) {
    Execution.Loop running = thread;
    if (running == null || !waiting.offer(request)) {
      request.answer.completeExceptionally(
          FlowCheck.unavailable("Too many registrations wait for a decision"));
    } else {
      running.wake();
    }
  }

  /**
   * Paths or capacities may have changed: promises that cannot be kept any longer are revoked. One
   * node does so for all; others learn of it from the store.
   *
   * @param before what was promised before
   */
  void review(AdmissionSnapshot before) {
    changes.add(before);
  }

  @Override
  public long run(long nowNanos) {
    try {
      completeWriting();
      List<RegistrationRequest> requests = new ArrayList<>();
      waiting.drainTo(requests, MOST_AT_ONCE);
      if (!requests.isEmpty()) {
        decide(requests);
      }
      reviewAll();
      long now = execution.clock().nanoTime();
      if (now - nextIdleNanos >= 0) {
        nextIdleNanos = now + IDLE_NANOS;
        revokeUnused();
        whenIdle.run();
      }
    } catch (RuntimeException e) {
      log.error("Registrations were not evaluated; retrying at the next round", e);
    }
    long now = execution.clock().nanoTime();
    return waiting.isEmpty() ? now + REVIEW_NANOS : now;
  }

  private void decide(List<RegistrationRequest> requests) {
    try {
      for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (tryToDecide(requests)) {
          return;
        }
      }
      refuse(
          requests,
          FlowCheck.unavailable("Other nodes registered flows at the same time, on every attempt"));
    } catch (SluiceException e) {
      refuse(requests, e);
    } catch (StorageUnavailableException e) {
      log.warn("The flows' store cannot be written", e);
      refuse(requests, FlowCheck.unavailable("The cluster's store cannot be written: " + e));
    } catch (RuntimeException e) {
      log.error("Registrations could not be decided", e);
      refuse(requests, FlowCheck.unavailable("The decision failed: " + e));
    }
  }

  private void reviewAll() {
    for (AdmissionSnapshot before = changes.poll(); before != null; before = changes.poll()) {
      Set<Long> brokenBefore = before.broken();
      try {
        boolean done = !leads.getAsBoolean();
        for (int attempt = 0; !done && attempt < ATTEMPTS; attempt++) {
          done = tryToReview(before, brokenBefore);
        }
      } catch (SluiceException | StorageUnavailableException e) {
        log.warn("Promises were not evaluated after a change of paths: {}", e.toString());
      }
    }
  }

  /** Whether nobody else decided meanwhile. */
  private boolean tryToReview(AdmissionSnapshot before, Set<Long> brokenBefore)
      throws SluiceException {
    VersionedLog registrationLog = caughtUp();
    Set<Long> broken = inbox.call(now -> loop.snapshotLike(before, now)).broken();
    broken.removeAll(brokenBefore);
    return revoke(registrationLog, broken, false);
  }

  /** Promises that are not used are others' again: one node does so for all. */
  private void revokeUnused() {
    try {
      if (leads.getAsBoolean() && !inbox.call(loop::unused).isEmpty()) {
        VersionedLog registrationLog = caughtUp();
        revoke(registrationLog, inbox.call(loop::unused), true);
      }
    } catch (SluiceException | StorageUnavailableException e) {
      log.warn("Promises that are not used could not be revoked: {}", e.toString());
    }
  }

  /** Whether nobody else decided meanwhile. */
  private boolean revoke(VersionedLog registrationLog, Set<Long> ids, boolean unused)
      throws SluiceException {
    if (ids.isEmpty()) {
      return true;
    }
    List<StoredFlow> lost = inbox.call(now -> loop.registrations().withoutPromise(ids));
    RegistrationLog own = registrationLog.value().next(registrationLog.value().nextId(), lost);
    if (!store.replace(registrationLog, own)) {
      return false;
    }
    inbox.call(
        now -> {
          loop.registrations().losePromises(lost, unused, now);
          return true;
        });
    store.rewrite(lost); // Its tenant may have taken one back in this moment.
    settle(own);
    return true;
  }

  private static void refuse(List<RegistrationRequest> requests, SluiceException reason) {
    requests.forEach(request -> request.answer.completeExceptionally(reason));
  }

  /** The registration log, when all that was decided up to it is known here. */
  private VersionedLog caughtUp() throws SluiceException {
    if (!clusterClock.isAgreed()) {
      throw FlowCheck.unavailable("This node does not know the cluster's time yet");
    }
    VersionedLog registrationLog = store.registrationLog();
    if (registrationLog.value().number() != knownNumber) {
      store.complete(registrationLog.value().flows());
      List<StoredFlow> all = store.flows();
      inbox.call(
          now -> {
            long clusterMicros = clusterClock.micros();
            all.forEach(flow -> loop.stored(flow, clusterMicros, now));
            return true;
          });
      knownNumber = registrationLog.value().number();
    }
    return registrationLog;
  }

  /** Whether nobody else decided meanwhile. */
  private boolean tryToDecide(List<RegistrationRequest> requests) throws SluiceException {
    VersionedLog registrationLog = caughtUp();
    RegistrationBatch batch = inbox.call(now -> RegistrationBatch.prepare(loop, requests, now));
    long nextId = batch.decide(registrationLog.value().nextId());
    if (batch.granted().isEmpty()) {
      batch.answer(Map.of(), journal);
      return true;
    }
    RegistrationLog own = registrationLog.value().next(nextId, batch.stored());
    if (!commit(registrationLog, own)) {
      return false;
    }
    written = new CompletableFuture<>();
    batch.answer(inbox.call(now -> batch.make(loop, now)), journal);
    write(own);
    return true;
  }

  /**
   * Whether it is decided so: nobody else has decided before. A store that fails may have written
   * all the same; what is registered must not be denied.
   */
  private boolean commit(VersionedLog before, RegistrationLog own) {
    try {
      return store.replace(before, own);
    } catch (StorageUnavailableException e) {
      if (store.hasDecided(own)) {
        return true;
      }
      throw e;
    }
  }

  /** What was decided gets its entries. What fails is done at the next round. */
  private void write(RegistrationLog own) {
    try {
      store.write(own.flows());
      settle(own);
      written.complete(null);
    } catch (RuntimeException e) {
      log.warn("Registrations are decided, and not all written yet: {}", e.toString());
    }
  }

  /** Completes what could not be written, as for a node that died. */
  private void completeWriting() {
    try {
      if (!written.isDone()) {
        knownNumber = NOTHING_KNOWN;
        settle(caughtUp().value());
        written.complete(null);
      }
    } catch (SluiceException | RuntimeException e) {
      log.debug("Registrations are not all written yet", e);
    }
  }

  /**
   * Done when all that was decided is in the store: what is not cannot be taken back there. Any
   * thread.
   */
  CompletableFuture<Void> written() {
    return written;
  }

  /** What was decided has entries of its own: nobody has to write it for us. */
  private void settle(RegistrationLog own) {
    VersionedLog present = store.registrationLog();
    RegistrationLog settled = own.next(own.nextId(), List.of());
    if (present.value().equals(own) && store.replace(present, settled)) {
      knownNumber = settled.number();
    }
  }
}
