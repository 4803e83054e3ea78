// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import org.apache.karaf.shell.api.action.Option;
import org.sluice.api.SluiceException;

/** A command that shows how things are now, once or again and again. */
abstract class ListCommand extends SluiceCommand {
  private static final long PERIOD_MILLIS = 2_000;

  /** To the upper left corner, and nothing below it (ECMA-48: CUP, ED). */
  private static final String CLEAR = "\u001b[H\u001b[J";

  @Option(
      name = "--watch",
      description = "Shows it again every 2 s in the same place, until Ctrl-C")
  private boolean watch;

  /** Waits for the next time; by the clock, but in a test. */
  Pause pause = () -> Thread.sleep(PERIOD_MILLIS);

  /** What lies between two times; Ctrl-C interrupts the thread that waits. */
  interface Pause {
    void await() throws InterruptedException;
  }

  /** Shows it. */
  abstract void list() throws SluiceException, JsonProcessingException;

  @Override
  final void run() throws SluiceException, JsonProcessingException {
    if (!watch) {
      list();
      return;
    }
    do {
      if (!outputJson()) {
        print("%s", CLEAR);
      }
      list();
    } while (isToGoOn());
  }

  private boolean isToGoOn() {
    try {
      pause.await();
      return true;
    } catch (InterruptedException e) {
      return false; // Ctrl-C is meant for this command alone.
    }
  }
}
