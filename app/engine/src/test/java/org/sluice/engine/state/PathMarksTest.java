// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.state;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.PortId;

/** What of paths' marks is summed up by port as it comes. */
class PathMarksTest {
  private static final int PATH = 70;

  private final PortTable ports = new PortTable();
  private final PathMarks marks = new PathTable(ports).marks;

  @BeforeEach
  void twoPorts() {
    ports.findOrAdd(PortId.of("of:0000000000000001", 1));
    ports.findOrAdd(PortId.of("of:0000000000000001", 2));
    marks.reset(PATH);
  }

  @Test
  void marksOfAPathWithoutPortAreHeld() {
    marks.add(PATH, 3);
    marks.add(PATH, 4);
    assertThat(marks.port(PATH)).isEqualTo(PathMarks.NO_PORT);
    assertThat(marks.open(1)).isEqualTo(marks.marked(1)).isEqualTo(1L << PATH);
    marks.choose(PATH, 1, false);
    assertThat(ports.pathMarks).startsWith(0, 7);
    assertThat(marks.open(1)).isZero();
  }

  @Test
  void laterMarksGoToTheSamePort() {
    marks.add(PATH, 3);
    marks.choose(PATH, 1, true);
    endPeriod();
    assertThat(marks.marked(1)).isZero();
    assertThat(marks.count(PATH)).isZero();
    marks.add(PATH, 5);
    assertThat(ports.pathMarks).startsWith(0, 5);
    assertThat(ports.estimatedPathMarks[1]).isTrue();
    assertThat(marks.open(1)).as("nothing is left for the tick to do").isZero();
    assertThat(marks.count(PATH)).isEqualTo(5);
  }

  @Test
  void marksOfThePeriodMoveWithTheChoice() {
    marks.add(PATH, 3);
    marks.choose(PATH, 1, false);
    endPeriod();
    marks.add(PATH, 5);
    marks.choose(PATH, 0, false);
    assertThat(ports.pathMarks).startsWith(5, 0);
    marks.choose(PATH, PathMarks.SEVERAL, false);
    assertThat(ports.pathMarks).startsWith(0, 0);
    assertThat(marks.port(PATH)).isEqualTo(PathMarks.SEVERAL);
    assertThat(marks.open(1)).isZero();
    assertThat(marks.shared.isMarked(0)).isTrue();
    marks.choose(PATH, PathMarks.NO_PORT, false);
    assertThat(marks.shared.isMarked(0)).isFalse();
    assertThat(marks.open(1)).isEqualTo(1L << PATH);
  }

  @Test
  void removedPathRemovesItsMarks() {
    marks.add(PATH, 3);
    marks.choose(PATH, 1, false);
    marks.reset(PATH);
    assertThat(ports.pathMarks).startsWith(0, 0);
    assertThat(marks.marked(1)).isZero();
    assertThat(marks.port(PATH)).isEqualTo(PathMarks.NO_PORT);
  }

  /** As a tick does: what was summed up is taken. */
  private void endPeriod() {
    marks.clear();
    ports.pathMarks[0] = 0;
    ports.pathMarks[1] = 0;
    ports.estimatedPathMarks[1] = false;
  }
}
