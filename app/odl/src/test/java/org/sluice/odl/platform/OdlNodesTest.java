// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.platform;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.sluice.core.testing.MemoryStorage;

class OdlNodesTest {
  private final MemoryStorage storage = new MemoryStorage();
  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private final OdlNodes first = node("member-1");

  private OdlNodes node(String name) {
    return new OdlNodes(name, storage.map("nodes"), tasks::add);
  }

  private void runTasks() {
    while (!tasks.isEmpty()) {
      tasks.remove().run();
    }
  }

  @Test
  void oneKnowsItselfBeforeTheStoreAnswers() {
    storage.setAvailable(false);
    first.start();
    assertThat(first.all()).containsExactly("member-1");

    runTasks();
    assertThat(first.all()).containsExactly("member-1");
  }

  @Test
  void nodesLearnOfEachOtherAndTheLastToLeaveKnowsIt() {
    first.start();
    runTasks();
    OdlNodes second = node("member-2");
    second.start();
    runTasks();

    assertThat(first.all()).containsExactly("member-1", "member-2");
    assertThat(second.all()).containsExactly("member-1", "member-2");
    assertThat(first.leave()).isFalse();
    assertThat(second.leave()).isTrue();
  }
}
