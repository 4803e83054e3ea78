// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest.stream;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.SluiceException;
import org.sluice.api.access.Caller;

/**
 * Makes snapshots for as long as somebody reads. What fails ends all streams: readers come back,
 * and are refused with the reason as long as it fails. Thread-safe.
 */
public final class StreamFeed implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(StreamFeed.class);
  private static final String THREAD = "sluice-stream";
  private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Sources sources;
  private final StreamPace pace;

  /** Held while the services are evaluated, and before {@link #lock}. */
  private final Object looking = new Object();

  /** Null: nobody has read for a while. */
  private Collector collector;

  private final ReentrantLock lock = new ReentrantLock();

  /** There is a newer snapshot, or streams end. */
  private final Condition news = lock.newCondition();

  /** The thread has to end. */
  private final Condition turn = lock.newCondition();

  /** A reader, or the thread, has ended. */
  private final Condition ends = lock.newCondition();

  private final Set<StreamReader> readers = new HashSet<>();
  private Snapshot latest;
  private Thread thread;
  private boolean closed;
  private long idleSinceNanos;

  public StreamFeed(Sources sources, StreamPace pace) {
    this.sources = sources;
    this.pace = pace;
  }

  /**
   * Admits a reader, who must run or end.
   *
   * @param user whose login it is
   * @param lastEventId of the last event that the reader has; empty: it has none
   * @return empty if so many read already that no other may
   * @throws SluiceException of kind UNAVAILABLE if a service is away or cannot answer
   */
  public Optional<StreamReader> open(Caller caller, String user, String lastEventId)
      throws SluiceException {
    synchronized (looking) {
      if (isDue()) {
        check();
      }
      lock.lock();
      try {
        if (closed || latest == null) {
          throw new SluiceException(
              SluiceException.Kind.UNAVAILABLE,
              "",
              "",
              "The stream ends with the application",
              "Try again in some seconds");
        }
        if (isFull(caller, user)) {
          return Optional.empty();
        }
        StreamReader reader =
            new StreamReader(
                this, pace, sources, caller, user, Cursor.resumed(lastEventId, latest));
        readers.add(reader);
        if (thread == null) {
          thread = new Thread(this::run, THREAD);
          thread.setDaemon(true);
          thread.start();
        }
        return Optional.of(reader);
      } finally {
        lock.unlock();
      }
    }
  }

  /**
   * Half of the places are for operators, whatever tenants' users open; and of the other half one
   * user has a quarter at most.
   */
  private boolean isFull(Caller caller, String user) {
    int mostOfTenants = pace.mostReaders / 2;
    long ofTenants = readers.stream().filter(reader -> !reader.isOperators()).count();
    long ofUser = readers.stream().filter(reader -> reader.user().equals(user)).count();
    return readers.size() >= pace.mostReaders
        || !caller.seesAll()
            && (ofTenants >= mostOfTenants || ofUser >= Math.max(1, mostOfTenants / 4));
  }

  private boolean isDue() {
    lock.lock();
    try {
      return readers.isEmpty() || latest == null;
    } finally {
      lock.unlock();
    }
  }

  /** Evaluates the services and shows readers what is new. */
  private void check() throws SluiceException {
    if (collector == null) {
      collector = new Collector(sources, pace.timeNanos);
    }
    Snapshot now = collector.check(System.nanoTime());
    lock.lock();
    try {
      latest = now;
      news.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    while (awaitTurn()) {
      synchronized (looking) {
        if (endsIdle()) {
          return;
        }
        if (hasReaders()) {
          checkOrEndAll();
        }
      }
    }
    lock.lock();
    try {
      thread = null;
      ends.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits for the next evaluation; returns whether there is one. */
  private boolean awaitTurn() {
    lock.lock();
    try {
      long left = pace.periodNanos;
      while (!closed && left > 0) {
        left = turn.awaitNanos(left);
      }
      return !closed;
    } catch (InterruptedException e) {
      return false;
    } finally {
      lock.unlock();
    }
  }

  /** Ends the thread, and forgets everything, if nobody has read for a while. */
  private boolean endsIdle() {
    lock.lock();
    try {
      boolean idle = readers.isEmpty() && System.nanoTime() - idleSinceNanos - pace.lingerNanos > 0;
      if (idle) {
        collector = null;
        latest = null;
        thread = null;
        ends.signalAll();
      }
      return idle;
    } finally {
      lock.unlock();
    }
  }

  private boolean hasReaders() {
    lock.lock();
    try {
      long now = System.nanoTime();
      readers.removeIf(reader -> reader.isStuck(now) && !reader.cut());
      return !readers.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  private void checkOrEndAll() {
    try {
      check();
    } catch (SluiceException e) {
      log.info("The stream ends: {}", e.getMessage());
      endAll();
    } catch (RuntimeException e) {
      log.error("The stream ends", e);
      endAll();
    }
  }

  private void endAll() {
    collector = null;
    lock.lock();
    try {
      latest = null;
      cutAll();
    } finally {
      lock.unlock();
    }
  }

  /** Those that have not begun will find out when they do. */
  private void cutAll() {
    readers.removeIf(reader -> !reader.cut());
    news.signalAll();
  }

  /**
   * Waits for what a reader has not got yet, until a time.
   *
   * @return the latest snapshot, which is the one that the reader has if nothing is new; empty: the
   *     stream ends
   */
  Optional<Snapshot> await(StreamReader reader, long revision, long untilNanos)
      throws InterruptedException {
    lock.lock();
    try {
      long left = untilNanos - System.nanoTime();
      while (!closed
          && !reader.isCut()
          && latest != null
          && latest.revision <= revision
          && left > 0) {
        left = news.awaitNanos(left);
      }
      return closed || reader.isCut() ? Optional.empty() : Optional.ofNullable(latest);
    } finally {
      lock.unlock();
    }
  }

  /** A reader has ended. */
  void leave(StreamReader reader) {
    lock.lock();
    try {
      if (readers.remove(reader) && readers.isEmpty()) {
        idleSinceNanos = System.nanoTime();
      }
      ends.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Ends all streams and the thread, and waits for that; nobody reads from here on. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      cutAll();
      turn.signalAll();
      long left = CLOSE_NANOS;
      while ((!readers.isEmpty() || thread != null) && left > 0) {
        left = ends.awaitNanos(left);
      }
      if (left <= 0) {
        log.warn("{} streams have not ended in time", readers.size());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }
}
