// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

/** Part of a message that waits to be sent, with the term in which it was decided. */
final class TermedItem<T> {
  final long term;
  final T item;

  TermedItem(long term, T item) {
    this.term = term;
    this.item = item;
  }

  /** The later one wins, unless its term is older: then its sender is no longer the leader. */
  static <T> TermedItem<T> newer(
      TermedItem<T> waiting, TermedItem<T> coming, HostCounters counters) {
    if (waiting == null) {
      return coming;
    }
    counters.supersededItems.increment();
    return coming.term >= waiting.term ? coming : waiting;
  }
}
