// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** The scoreboard against RFC 6675 written down plainly: lists, scanned from end to end. */
class ScoreboardProperties {
  private static final class Segment {
    long start;
    int bytes;
    boolean sacked;
    boolean resent;
    boolean lost;
  }

  @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
  void agreesWithTheReference(@ForAll long seed, @ForAll @IntRange(min = 1, max = 300) int window) {
    SplittableRandom random = new SplittableRandom(seed);
    Scoreboard board = new Scoreboard(null);
    List<Segment> plain = new ArrayList<>();
    long next = 0;
    for (int step = 0; step < 600; step++) {
      switch (random.nextInt(6)) {
        case 0, 1 -> {
          for (int i = random.nextInt(20); i > 0 && plain.size() < window; i--) {
            Segment added = new Segment();
            added.start = next;
            added.bytes = random.nextInt(8) == 0 ? 1 + random.nextInt(1460) : 1460;
            next += added.bytes;
            plain.add(added);
            board.append(added.bytes, step);
          }
        }
        case 2 -> {
          if (!plain.isEmpty()) {
            int from = random.nextInt(plain.size());
            int to = Math.min(plain.size(), from + 1 + random.nextInt(100));
            Segment last = plain.get(to - 1);
            plain.subList(from, to).forEach(each -> each.sacked = true);
            board.sack(plain.get(from).start, last.start + last.bytes);
          }
        }
        case 3 -> {
          int gone = random.nextInt(1 + plain.size() / 2);
          plain.subList(0, gone).clear();
          board.acknowledge(plain.isEmpty() ? next : plain.get(0).start);
        }
        case 4 -> {
          board.markLost();
          markLost(plain);
        }
        default -> {
          long lost = board.nextLost();
          Segment expected =
              plain.stream()
                  .filter(each -> each.lost && !each.sacked && !each.resent)
                  .findFirst()
                  .orElse(null);
          if (expected == null) {
            assertThat(lost).isEqualTo(Scoreboard.NONE);
          } else {
            assertThat(board.sequenceOf(lost)).isEqualTo(expected.start);
            assertThat(board.length(lost)).isEqualTo(expected.bytes);
            board.resent(lost, step);
            expected.resent = true;
          }
        }
      }
      assertThat(board.pipeBytes()).isEqualTo(pipe(plain));
      assertThat(board.outstandingBytes())
          .isEqualTo(plain.stream().mapToLong(each -> each.bytes).sum());
      assertThat(board.nextSequence()).isEqualTo(next);
    }
  }

  private static void markLost(List<Segment> plain) {
    for (int i = 0; i < plain.size(); i++) {
      long above = plain.subList(i + 1, plain.size()).stream().filter(each -> each.sacked).count();
      plain.get(i).lost |= !plain.get(i).sacked && above >= 3;
    }
  }

  private static long pipe(List<Segment> plain) {
    long pipe = 0;
    for (Segment each : plain) {
      if (!each.sacked) {
        pipe += (each.lost ? 0 : each.bytes) + (each.resent ? each.bytes : 0);
      }
    }
    return pipe;
  }
}
