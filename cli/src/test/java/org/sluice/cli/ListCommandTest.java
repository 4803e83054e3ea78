// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.apache.karaf.shell.api.action.Action;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Listing once, and again and again. */
class ListCommandTest {
  private static final String CLEAR = "\u001b[H\u001b[J";
  private static final Deque<String> SHOWN = new ArrayDeque<>();

  private final Shell shell = new Shell(null, Counting.class);

  /** Shows how often it was called. */
  @Service
  @Needs(Permission.SEE_OWN)
  @Command(scope = "onos", name = "counting", description = "Counts")
  public static final class Counting extends ListCommand {
    @Override
    void list() {
      SHOWN.add("look " + (SHOWN.size() + 1));
      print("%s", SHOWN.getLast());
    }
  }

  @AfterEach
  void close() {
    SHOWN.clear();
    shell.close();
  }

  @Test
  void listsOnce() throws Exception {
    assertThat(shell.type("counting").lines()).containsExactly("look 1");
  }

  @Test
  void watchRedrawsUntilInterrupted() throws Exception {
    int[] left = {2};
    shell.pause =
        () -> {
          if (left[0]-- == 0) {
            throw new InterruptedException();
          }
        };
    assertThat(shell.type("counting --watch").lines())
        .containsExactly(CLEAR, "look 1", CLEAR, "look 2", CLEAR, "look 3");
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void jsonIsNotMixedWithControlSequences() throws Exception {
    assertThat(shell.type("counting --watch -j").lines()).containsExactly("look 1");
  }

  @Test
  void everyListingCanBeWatched() {
    List<Class<? extends Action>> listings =
        List.of(
            BackgroundFlowsCommand.class,
            CapsCommand.class,
            DeadlinesCommand.class,
            DoctorCommand.class,
            EndpointsCommand.class,
            FlowsCommand.class,
            HostsCommand.class,
            JournalCommand.class,
            PoliciesCommand.class,
            PortsCommand.class,
            QueuesCommand.class,
            TenantsCommand.class);
    assertThat(listings).allMatch(ListCommand.class::isAssignableFrom);
  }
}
