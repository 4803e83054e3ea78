// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest.stream;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.SluiceException;
import org.sluice.api.access.Caller;

/**
 * Sends one reader what it has not got yet, on the thread that runs it. All that it keeps is a
 * cursor; while the reader takes nothing, nothing is made for it.
 */
public final class StreamReader {
  private static final Logger log = LoggerFactory.getLogger(StreamReader.class);
  private static final long RETRY_MILLIS = 1000;

  private final StreamFeed feed;
  private final StreamPace pace;
  private final Sources sources;
  private final Caller caller;
  private final String user;
  private final boolean operators;
  private Cursor cursor;

  // Guarded by this:
  private Thread thread;
  private boolean cut;
  private boolean stuck;
  private boolean awaited;
  private long awaitedSinceNanos;

  StreamReader(
      StreamFeed feed,
      StreamPace pace,
      Sources sources,
      Caller caller,
      String user,
      Cursor cursor) {
    this.user = user;
    this.feed = feed;
    this.pace = pace;
    this.sources = sources;
    this.caller = caller;
    this.operators = caller.seesAll();
    this.cursor = cursor;
    setAwaited(true);
  }

  /**
   * Writes until the stream ends, or the reader has left.
   *
   * @throws IOException if the reader took nothing for too long
   */
  public void run(OutputStream out) throws IOException {
    if (!begin()) {
      feed.leave(this);
      return;
    }
    try {
      write(new EventWriter(out));
    } catch (SluiceException | InterruptedException | InterruptedIOException e) {
      log.debug("A stream was ended", e);
    } catch (IOException e) {
      log.debug("A reader has left", e);
    } finally {
      end();
      feed.leave(this);
    }
    if (isStuck(System.nanoTime())) {
      throw new IOException("a reader took nothing for too long");
    }
  }

  private void write(EventWriter to) throws IOException, InterruptedException, SluiceException {
    long endNanos = System.nanoTime() + pace.lifetimeNanos;
    long timeNanos = System.nanoTime();
    to.writePadding();
    to.writeRetryMillis(RETRY_MILLIS);
    do {
      Optional<Snapshot> now = feed.await(this, cursor.revision, timeNanos);
      if (now.isEmpty()) {
        return;
      }
      boolean isTime = System.nanoTime() - timeNanos >= 0;
      if (isTime) {
        timeNanos = System.nanoTime() + pace.timeNanos;
      }
      setAwaited(true);
      cursor = new Update(now.get(), cursor, caller, sources).write(isTime, to);
      to.flush();
      setAwaited(false);
    } while (System.nanoTime() - endNanos < 0);
  }

  private synchronized boolean begin() {
    if (!cut) {
      thread = Thread.currentThread();
    }
    return !cut;
  }

  /** The thread is the container's: it must not carry an interrupt on to its next request. */
  private synchronized void end() {
    thread = null;
    awaited = false;
    Thread.interrupted();
  }

  /** Notes whether the reader has to act now: begin to read, or take what is written. */
  private synchronized void setAwaited(boolean now) {
    awaited = now;
    awaitedSinceNanos = System.nanoTime();
  }

  /** Whether it is somebody's who sees everything. */
  boolean isOperators() {
    return operators;
  }

  /** Whose login it is. */
  String user() {
    return user;
  }

  synchronized boolean isCut() {
    return cut;
  }

  /** Ends the stream soon; returns whether there is one that runs. */
  synchronized boolean cut() {
    cut = true;
    if (thread == null) {
      return false;
    }
    thread.interrupt();
    return true;
  }

  /** Whether the reader has not done for too long what it has to. */
  synchronized boolean isStuck(long nowNanos) {
    stuck |= awaited && nowNanos - awaitedSinceNanos - pace.stuckNanos > 0;
    return stuck;
  }
}
