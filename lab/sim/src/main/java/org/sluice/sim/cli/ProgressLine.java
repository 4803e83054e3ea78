// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.cli;

import java.io.PrintWriter;
import java.util.Locale;
import org.sluice.sim.scenario.run.Progress;
import org.sluice.sim.scenario.run.Run;

/**
 * Shows how far the runs are and how long the rest may take: on a terminal in one line that
 * changes, else in a new line now and then.
 */
final class ProgressLine implements Progress {
  private static final long TERMINAL_NANOS = 500_000_000L;
  private static final long LOG_NANOS = 15_000_000_000L;
  private static final double NANOS_PER_SECOND = 1e9;

  private final PrintWriter out;
  private final int runs;
  private final boolean terminal;
  private final long startNanos = System.nanoTime();
  private long shownNanos = startNanos;
  private double done;
  private int finished;

  /**
   * @param runs how many there will be
   * @param terminal whether a line can be written over
   */
  ProgressLine(PrintWriter out, int runs, boolean terminal) {
    this.out = out;
    this.runs = runs;
    this.terminal = terminal;
  }

  @Override
  public synchronized void advanced(double part) {
    done += part;
    long now = System.nanoTime();
    if (now - shownNanos >= (terminal ? TERMINAL_NANOS : LOG_NANOS)) {
      shownNanos = now;
      show((now - startNanos) / NANOS_PER_SECOND);
    }
  }

  @Override
  public synchronized void finished(Run run) {
    finished++;
    if (finished == runs) {
      show((System.nanoTime() - startNanos) / NANOS_PER_SECOND);
      out.print(terminal ? "\n" : "");
      out.flush();
    }
  }

  private void show(double seconds) {
    double left = Math.max(0, seconds / Math.max(done, 1e-9) * (runs - done));
    String text =
        String.format(
            Locale.ROOT,
            "%d of %d runs, %.0f %%, %s gone, %s left",
            finished,
            runs,
            100 * Math.min(1, done / runs),
            time(seconds),
            time(left));
    out.print(terminal ? "\r" + text + "   " : text + "\n");
    out.flush();
  }

  private static String time(double seconds) {
    long whole = Math.round(seconds);
    return String.format(Locale.ROOT, "%d:%02d", whole / 60, whole % 60);
  }
}
