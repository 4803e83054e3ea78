// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.sluice.api.PortId;
import org.sluice.engine.path.Path;

/** How marks of a path are divided among those of its ports that mark. */
class SharedMarksTest {
  private final PortTable ports = new PortTable();
  private final PathTable paths = new PathTable(ports);
  private final PathMarks marks = paths.marks;
  private final double[] marking = new double[64];

  @Test
  void isProportionalToMarkingAndTheRemainderGoesToTheLargest() {
    shared(path(1, 2, 3), 10);
    marking[0] = 0.1;
    marking[2] = 0.2;
    assertThat(marks.shared.divide(0, marking)).isTrue();
    assertThat(ports.pathMarks).startsWith(3, 0, 7);
  }

  @Test
  void isZeroWherePortsDoNotMark() {
    shared(path(1, 2, 3), 10);
    assertThat(marks.shared.divide(0, marking)).isFalse();
    assertThat(ports.pathMarks).startsWith(0, 0, 0);
  }

  @Test
  void longPathGrowsTheTableAndKeepsOthers() {
    shared(path(1, 2), 10);
    shared(path(IntStream.rangeClosed(1, 30).toArray()), 100);
    shared(path(2, 3), 1);
    marking[0] = 0.5;
    marking[29] = 0.5;
    assertThat(marks.shared.divide(0, marking)).isTrue();
    assertThat(marks.shared.divide(1, marking)).isTrue();
    assertThat(marks.shared.divide(2, marking)).isFalse();
    assertThat(ports.pathMarks[0]).isEqualTo(60);
    assertThat(ports.pathMarks[29]).isEqualTo(50);
  }

  @Test
  void rowOfARemovedPathIsReused() {
    int first = path(1, 2);
    shared(first, 10);
    paths.release(first);
    assertThat(marks.shared.isMarked(0)).isFalse();
    int second = path(3);
    shared(second, 4);
    assertThat(marks.shared.limit()).isEqualTo(1);
    assertThat(marks.shared.path(0)).isEqualTo(second);
  }

  private int path(int... numbers) {
    List<Path.Hop> hops =
        IntStream.of(numbers)
            .mapToObj(n -> Path.Hop.of(PortId.of("of:0000000000000001", n)))
            .collect(Collectors.toList());
    return paths.retain(Path.of(hops, false));
  }

  private void shared(int path, long count) {
    marks.add(path, count);
    marks.choose(path, PathMarks.SEVERAL, false);
  }
}
