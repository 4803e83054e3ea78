// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

/** Something that waits to be said in the name of a duty. */
final class Termed<T> {
  final long term;
  final T item;

  Termed(long term, T item) {
    this.term = term;
    this.item = item;
  }

  /** A later call wins, unless it speaks in the name of a duty that has passed on since. */
  static <T> Termed<T> newer(Termed<T> waiting, Termed<T> coming, HostCounters counters) {
    if (waiting == null) {
      return coming;
    }
    counters.supersededItems.increment();
    return coming.term >= waiting.term ? coming : waiting;
  }
}
