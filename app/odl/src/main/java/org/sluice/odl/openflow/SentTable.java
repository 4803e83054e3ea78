// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.openflow;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.sluice.core.spi.Epoch;
import org.sluice.forwarding.spi.RuleTable.State;
import org.sluice.odl.openflow.SwitchCalls.Refusal;

/**
 * What switches have been sent of one kind, and what became of it. What a switch has of an earlier
 * life, or of the master before, is known as soon as the switch was read; what it has lost is sent
 * again. Guarded by each switch's window.
 *
 * @param <K> what distinguishes them on a switch
 * @param <F> how a switch reports one
 */
abstract class SentTable<K, T extends SentTable.Item<K>, F> {
  final SwitchCalls calls;
  final Function<String, SendWindow> windows;
  private final Epoch epoch = new Epoch();
  private final Map<String, Map<K, T>> bySwitch = new ConcurrentHashMap<>();

  /** Removed ones with the step of their removal, until a reading began later. */
  private final Map<String, Map<K, Long>> removed = new ConcurrentHashMap<>();

  /** One that was sent, or found. */
  abstract static class Item<K> {
    final String datapath;
    final K key;
    volatile State state;
    boolean isUnderWay;
    long changedAt;

    Item(String datapath, K key, State state) {
      this.datapath = datapath;
      this.key = key;
      this.state = state;
    }

    boolean isLeaving() {
      return state == State.LEAVING;
    }
  }

  SentTable(SwitchCalls calls, Function<String, SendWindow> windows) {
    this.calls = calls;
    this.windows = windows;
  }

  abstract CompletableFuture<?> adding(T item);

  abstract CompletableFuture<?> removing(T item);

  /** A switch has refused one, which stays unless this removes it. */
  abstract void refused(T item, String reason);

  /**
   * A switch reports one.
   *
   * @param isSettled whether nothing has been sent about it since the switch was asked
   */
  abstract void read(T item, F found, boolean isSettled);

  /** Whether one that a switch has lost can be sent again. */
  abstract boolean isWhole(T item);

  /** One that nobody here has sent; empty: it is not ours. */
  abstract Optional<T> discovered(String datapath, K key, F found);

  /** What distinguishes one that a switch reports. */
  abstract K keyOf(F found);

  /** Advances whenever something was sent, confirmed or removed. */
  public final Epoch epoch() {
    return epoch;
  }

  /** Those of a switch, to be read and changed under its window's monitor. */
  final Map<K, T> of(String datapath) {
    return bySwitch.computeIfAbsent(datapath, d -> new HashMap<>());
  }

  /** A copy. */
  final List<T> all(String datapath) {
    synchronized (windows.apply(datapath)) {
      return new ArrayList<>(of(datapath).values());
    }
  }

  /** Those of a switch that are not being taken back. */
  final List<T> standing(String datapath) {
    List<T> standing = all(datapath);
    standing.removeIf(Item::isLeaving);
    return standing;
  }

  final Collection<String> switches() {
    return bySwitch.keySet();
  }

  /** Sends one, in place of another with its key. */
  final void send(T item) {
    SendWindow window = windows.apply(item.datapath);
    synchronized (window) {
      of(item.datapath).put(item.key, item);
      item.state = State.SENT;
      item.isUnderWay = true;
      window.submit(() -> adding(item)).whenComplete((done, failure) -> sent(item, failure));
    }
    epoch.advance();
  }

  private void sent(T item, Throwable failure) {
    synchronized (windows.apply(item.datapath)) {
      ended(item);
      if (item.isLeaving()) {
        return;
      }
      if (failure == null) {
        item.state = State.CONFIRMED;
      } else if (failure instanceof Refusal) {
        item.state = State.REFUSED;
        refused(item, failure.getMessage());
      }
    }
    epoch.advance();
  }

  private void ended(T item) {
    item.isUnderWay = false;
    item.changedAt = windows.apply(item.datapath).step();
  }

  /** Takes one back, unless another is in its place by now. */
  final void remove(T item) {
    SendWindow window = windows.apply(item.datapath);
    synchronized (window) {
      if (of(item.datapath).get(item.key) != item) {
        return;
      }
      item.state = State.LEAVING;
      item.isUnderWay = true;
      window.submit(() -> removing(item)).whenComplete((done, failure) -> left(item, failure));
    }
    epoch.advance();
  }

  /** A switch refuses to remove what it does not have. */
  private void left(T item, Throwable failure) {
    synchronized (windows.apply(item.datapath)) {
      ended(item);
      if (item.isLeaving() && (failure == null || failure instanceof Refusal)) {
        forget(item);
      }
    }
  }

  final void forget(T item) {
    of(item.datapath).remove(item.key, item);
    removed.computeIfAbsent(item.datapath, d -> new HashMap<>()).put(item.key, item.changedAt);
  }

  /**
   * Compares what is remembered with what a switch has.
   *
   * @param began the step at which it was asked; what has happened since is left alone
   */
  void audit(String datapath, Collection<F> found, long began) {
    synchronized (windows.apply(datapath)) {
      Map<K, F> there = new HashMap<>();
      found.forEach(one -> there.putIfAbsent(keyOf(one), one));
      for (T item : all(datapath)) {
        F one = there.remove(item.key);
        boolean isSettled = !item.isUnderWay && item.changedAt < began;
        if (isSettled) {
          audit(item, one != null);
        }
        if (one != null) {
          read(item, one, isSettled);
        }
      }
      Map<K, Long> gone = removed.getOrDefault(datapath, Map.of());
      gone.values().removeIf(at -> at < began);
      there.keySet().removeAll(gone.keySet());
      there.forEach(
          (key, one) ->
              discovered(datapath, key, one).ifPresent(item -> of(datapath).put(key, item)));
    }
    epoch.advance();
  }

  private void audit(T item, boolean isThere) {
    if (item.isLeaving() && isThere) {
      remove(item);
    } else if (isThere) {
      item.state = State.CONFIRMED;
    } else if (item.isLeaving() || item.state == State.REFUSED || !isWhole(item)) {
      forget(item);
    } else {
      send(item);
    }
  }

  /** The switch went away, and may come back without them. */
  void doubt(String datapath) {
    for (T item : all(datapath)) {
      item.state = item.state == State.CONFIRMED ? State.SENT : item.state;
    }
    epoch.advance();
  }

  /** How many of a switch are still to be taken back. */
  final long leaving(String datapath) {
    return all(datapath).stream().filter(Item::isLeaving).count();
  }

  /** The switch is another node's. */
  final void forget(String datapath) {
    synchronized (windows.apply(datapath)) {
      bySwitch.remove(datapath);
      removed.remove(datapath);
    }
    epoch.advance();
  }
}
