// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.deadline;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.onosproject.store.service.StorageException;
import org.onosproject.store.service.Versioned;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.SluiceException;
import org.sluice.api.deadline.FlowDecision;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.engine.deadline.Outlook;

/**
 * Decides about registrations, on a thread of its own, those that wait together: two must not both
 * be promised the same room, neither here nor on another node. What is promised already it learns
 * on the engine's thread, but reckons on its own.
 */
final class Registrar {
  private static final Logger log = LoggerFactory.getLogger(Registrar.class);
  private static final int MOST_WAITING = 20_000;
  private static final int MOST_AT_ONCE = 500;

  /** Each one lost means that another node decided: with a few nodes so many never come. */
  private static final int ATTEMPTS = 50;

  private static final long NOTHING_KNOWN = -1;

  private static final long STOP_MILLIS = 2000;

  /** How long a change of ways may wait. */
  private static final long POLL_MILLIS = 100;

  /** What the thread does besides, when nothing waits. */
  private static final long IDLE_MILLIS = 1000;

  private final FlowStore store;
  private final EngineDesk desk;
  private final FlowChronicle chronicle;
  private final WallClock clock;
  private final BooleanSupplier leads;
  private final Runnable whenIdle;

  /** What could be kept before ways or capacities changed. */
  private final Queue<Outlook> changes = new ConcurrentLinkedQueue<>();

  private final BlockingQueue<FlowAsk> waiting = new LinkedBlockingQueue<>(MOST_WAITING);
  private final Thread thread;
  private volatile boolean running = true;

  // The thread's alone:
  /** The number of the ledger up to which all decisions are known here. */
  private long knownNumber = NOTHING_KNOWN;

  private Outlook outlook;

  /**
   * One that decides nothing yet.
   *
   * @param leads whether this node is the one that looks after promises that were made
   * @param whenIdle what there is to do besides
   */
  Registrar(
      FlowStore store,
      EngineDesk desk,
      FlowChronicle chronicle,
      WallClock clock,
      BooleanSupplier leads,
      Runnable whenIdle) {
    this.store = store;
    this.desk = desk;
    this.chronicle = chronicle;
    this.clock = clock;
    this.leads = leads;
    this.whenIdle = whenIdle;
    thread = new Thread(this::run, "sluice-flows");
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  void stop() throws InterruptedException {
    running = false;
    thread.interrupt();
    thread.join(STOP_MILLIS);
  }

  /** Has it decided; the answer completes the ask. */
  void ask(FlowAsk ask) {
    if (!running || !waiting.offer(ask)) {
      ask.answer.completeExceptionally(
          FlowCheck.unavailable("Too many registrations wait for a decision"));
    }
  }

  /**
   * Ways or capacities may have changed: promises that cannot be kept any longer are taken back.
   * One node does so for all; others hear of it from the store.
   *
   * @param before what was promised before
   */
  void review(Outlook before) {
    changes.add(before);
  }

  private void run() {
    long nextIdle = System.nanoTime();
    while (running) {
      try {
        FlowAsk first = waiting.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
        if (first != null) {
          List<FlowAsk> asks = new ArrayList<>();
          asks.add(first);
          waiting.drainTo(asks, MOST_AT_ONCE - 1);
          decide(asks);
        }
        reviewAll();
        if (System.nanoTime() - nextIdle >= 0) {
          nextIdle = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(IDLE_MILLIS);
          whenIdle.run();
        }
      } catch (InterruptedException e) {
        break;
      } catch (RuntimeException e) {
        log.error("Registrations could not be looked after", e);
      }
    }
  }

  private void decide(List<FlowAsk> asks) {
    try {
      for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (tryToDecide(asks)) {
          return;
        }
      }
      refuse(
          asks, FlowCheck.unavailable("Others registered flows at the same time, again and again"));
    } catch (SluiceException e) {
      refuse(asks, e);
    } catch (StorageException e) {
      log.warn("The flows' store cannot be written", e);
      refuse(asks, FlowCheck.unavailable("The cluster's store cannot be written: " + e));
    } catch (RuntimeException e) {
      log.error("Registrations could not be decided", e);
      refuse(asks, FlowCheck.unavailable("The decision failed: " + e));
    }
  }

  private void reviewAll() {
    for (Outlook before = changes.poll(); before != null; before = changes.poll()) {
      Set<Long> brokenBefore = before.broken();
      try {
        boolean done = !leads.getAsBoolean();
        for (int attempt = 0; !done && attempt < ATTEMPTS; attempt++) {
          done = tryToReview(before, brokenBefore);
        }
      } catch (SluiceException | StorageException e) {
        log.warn("Promises could not be looked at after ways have changed: {}", e.toString());
      }
    }
  }

  /** Whether nobody else decided meanwhile. */
  private boolean tryToReview(Outlook before, Set<Long> brokenBefore) throws SluiceException {
    Versioned<Ledger> ledger = caughtUp();
    Set<Long> broken = desk.ask((loop, now) -> loop.outlookLike(before, now)).broken();
    broken.removeAll(brokenBefore);
    if (broken.isEmpty()) {
      return true;
    }
    List<StoredFlow> lost = desk.ask((loop, now) -> loop.registrations().withoutPromise(broken));
    Ledger own = ledger.value().next(ledger.value().nextId(), lost);
    if (!store.replace(ledger, own)) {
      return false;
    }
    desk.ask(
        (loop, now) -> {
          loop.registrations().losePromises(lost, now);
          return true;
        });
    store.rewrite(lost); // Its tenant may have taken one back in this moment.
    settle(own);
    return true;
  }

  private static void refuse(List<FlowAsk> asks, SluiceException reason) {
    asks.forEach(ask -> ask.answer.completeExceptionally(reason));
  }

  /** The ledger, when all that was decided up to it is known here. */
  private Versioned<Ledger> caughtUp() throws SluiceException {
    Versioned<Ledger> ledger = store.ledger();
    if (ledger.value().number() != knownNumber) {
      store.complete(ledger.value().flows());
      List<StoredFlow> all = store.flows();
      long wallMicros = clock.micros();
      desk.ask(
          (loop, now) -> {
            all.forEach(flow -> loop.stored(flow, wallMicros, now));
            return true;
          });
      knownNumber = ledger.value().number();
    }
    return ledger;
  }

  /** Whether nobody else decided meanwhile. */
  private boolean tryToDecide(List<FlowAsk> asks) throws SluiceException {
    Versioned<Ledger> ledger = caughtUp();
    List<FlowAsk> open = prepared(asks);
    List<FlowAsk> granted = new ArrayList<>();
    long nextId = ledger.value().nextId();
    for (FlowAsk ask : open) {
      ask.admission = outlook.ask(ask.question, ask.deadlineNanos, ask.force);
      if (ask.isGranted()) {
        long id = ask.isNew() ? nextId++ : ask.id;
        ask.stored = ask.stored.decided(id, ask.admission.isAccepted());
        granted.add(ask);
      }
    }
    if (!granted.isEmpty()) {
      List<StoredFlow> flows =
          granted.stream().map(ask -> ask.stored).collect(Collectors.toUnmodifiableList());
      Ledger own = ledger.value().next(nextId, flows);
      if (!store.replace(ledger, own)) {
        return false;
      }
      Map<FlowAsk, FlowStatus> made = make(granted);
      store.write(flows);
      settle(own);
      made.forEach(this::register);
    }
    open.stream().filter(ask -> !ask.isGranted()).forEach(this::refuse);
    return true;
  }

  /** Those that can be asked about; the others are refused. */
  private List<FlowAsk> prepared(List<FlowAsk> asks) throws SluiceException {
    List<FlowAsk> open = new ArrayList<>();
    outlook =
        desk.ask(
            (loop, now) -> {
              Outlook made = loop.outlook(asks, now);
              Set<FlowKey> keys = new HashSet<>();
              for (FlowAsk ask : asks) {
                try {
                  if (!ask.answer.isDone()) {
                    loop.prepare(ask, made, now);
                    if (ask.isNew() && !keys.add(ask.key)) {
                      throw FlowCheck.claimed(ask.key);
                    }
                    open.add(ask);
                  }
                } catch (SluiceException e) {
                  ask.answer.completeExceptionally(e);
                }
              }
              return made;
            });
    return open;
  }

  /** Those that were made true, in their order; the others are refused. */
  private Map<FlowAsk, FlowStatus> make(List<FlowAsk> asks) throws SluiceException {
    return desk.ask(
        (loop, now) -> {
          Map<FlowAsk, FlowStatus> made = new LinkedHashMap<>();
          for (FlowAsk ask : asks) {
            try {
              made.put(ask, loop.registrations().make(ask, now));
            } catch (SluiceException e) {
              ask.answer.completeExceptionally(e);
            }
          }
          return made;
        });
  }

  private void register(FlowAsk ask, FlowStatus flow) {
    chronicle.registered(flow, ask.admission);
    ask.answer.complete(FlowDecision.registered(flow, ask.admission));
  }

  private void refuse(FlowAsk ask) {
    chronicle.refused(ask.stored, ask.deadlineNanos - ask.arrivedNanos, ask.admission);
    ask.answer.complete(FlowDecision.cannotBeMet(ask.admission));
  }

  /** What was decided has entries of its own: nobody has to write it for us. */
  private void settle(Ledger own) {
    Versioned<Ledger> present = store.ledger();
    Ledger settled = own.next(own.nextId(), List.of());
    if (present.value().equals(own) && store.replace(present, settled)) {
      knownNumber = settled.number();
    }
  }
}
