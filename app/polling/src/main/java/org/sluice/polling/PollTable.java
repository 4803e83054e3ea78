// SPDX-License-Identifier: Apache-2.0
package org.sluice.polling;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** All ports or all meters of a switch that are read. Not thread-safe. */
final class PollTable {
  private final PollRequest.Kind kind;
  private final int weight;
  private final PollRequest all;
  private final Map<Long, PollItem> items = new HashMap<>();

  /** Of a reply about all that the switch has; a guess until the first came. */
  private long allBytes;

  private boolean allKnown;

  PollTable(PollRequest.Kind kind, int weight) {
    this.kind = kind;
    this.weight = weight;
    this.all = PollRequest.forAll(kind);
  }

  /** Reads these from now on. */
  void setNumbers(Set<Long> numbers, long nowNanos) {
    items.keySet().retainAll(numbers);
    for (Long number : numbers) {
      items.computeIfAbsent(number, n -> new PollItem(new PollRequest(kind, n), weight, nowNanos));
    }
    if (!allKnown) {
      allBytes = kind.replyBytes(items.size());
    }
  }

  Collection<PollItem> items() {
    return items.values();
  }

  Optional<PollItem> find(long number) {
    return Optional.ofNullable(items.get(number));
  }

  /** What an answer about all takes; from now on it is reckoned with. */
  void allTake(long replyBytes) {
    allBytes = replyBytes;
    allKnown = true;
  }

  long expectedBits(PollRequest request, boolean soon) {
    return WireCost.bits(request.isForAll() ? allBytes : kind.replyBytes(1), soon);
  }

  /**
   * The request for an item that is due: for all of them if that is shorter than one for each.
   *
   * @param mostBits what it may take on the wire, lest others wait for it
   */
  PollRequest requestFor(PollItem item, long mostBits, long nowNanos) {
    long together = items.values().stream().filter(i -> goesWith(i, item, nowNanos)).count();
    if (together < (allKnown ? 2 : kind.worthAGuess())) {
      return item.request();
    }
    boolean soon = item.isHot();
    long bits = expectedBits(all, soon);
    return bits <= mostBits && bits < together * expectedBits(item.request(), soon)
        ? all
        : item.request();
  }

  /** Takes note of a request. */
  void requested(PollRequest request, PollItem item, long nowNanos) {
    if (!request.isForAll()) {
      item.requested(nowNanos);
      return;
    }
    for (PollItem each : items.values()) {
      if (goesWith(each, item, nowNanos)) {
        each.requested(nowNanos);
      }
    }
  }

  /** Whether another one would be requested soon after this one, and be paid alike. */
  private static boolean goesWith(PollItem other, PollItem item, long nowNanos) {
    return other.isHot() == item.isHot() && other.dueNanos() - nowNanos <= other.periodNanos() / 2;
  }
}
