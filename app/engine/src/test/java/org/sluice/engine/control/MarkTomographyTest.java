// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.sluice.api.PortId;
import org.sluice.engine.path.Path;
import org.sluice.engine.state.EngineState;

/** Which part each port marks, from what paths show: examples whose answer is known. */
class MarkTomographyTest {
  private static final long PERIOD_NANOS = 5_000_000L;

  private final EngineState state = new EngineState();
  private final MarkTomography tomography = new MarkTomography(state);
  private final List<int[]> paths = new ArrayList<>();
  private final double[] truth = new double[10];
  private long now = 1;

  /** A port that marks this part of what crosses it. */
  private int port(int number, double part) {
    int row = state.ports.findOrAdd(id(number));
    state.ports.setUnitShare(row, 1e6);
    truth[number] = part;
    return row;
  }

  private static PortId id(int number) {
    return PortId.of("of:0000000000000001", number);
  }

  private int path(int... numbers) {
    int row =
        state.paths.retain(
            Path.of(
                Arrays.stream(numbers)
                    .mapToObj(n -> Path.Hop.of(id(n)))
                    .collect(Collectors.toList()),
                false));
    paths.add(numbers);
    return row;
  }

  /** A period in which every path reports so many packets, marked as its ports mark. */
  private void period(int[] rows, long packets) {
    for (int i = 0; i < rows.length; i++) {
      double unmarked = 1;
      for (int number : paths.get(i)) {
        unmarked *= 1 - truth[number];
      }
      state.paths.addEvidence(rows[i], packets, Math.round(packets * (1 - unmarked)));
    }
    keep();
    tomography.update(now);
    now += PERIOD_NANOS;
  }

  private void keep() {
    for (int port : state.ports.inUse.rows()) {
      state.paths.evidence.keepSole(port);
    }
  }

  private void periods(int count, int... rows) {
    for (int i = 0; i < count; i++) {
      period(rows, 1000);
    }
  }

  private void expect(int row, double part) {
    assertThat(tomography.part(row)).isCloseTo(part, within(0.01));
  }

  @Test
  void isUnknownWithoutEvidence() {
    int port = port(1, 0.2);
    assertThat(tomography.part(port)).isEqualTo(MarkedPart.UNKNOWN);
    int path = path(1);
    for (int i = 0; i < 20; i++) {
      state.paths.addEvidence(path, i == 0 ? 19 : 0, 5);
      keep();
      tomography.update(now);
      now += PERIOD_NANOS;
    }
    assertThat(tomography.part(port)).as("19 packets show nothing").isEqualTo(MarkedPart.UNKNOWN);
  }

  @Test
  void singlePortOfAPathIsAttributedAllItsMarks() {
    int port = port(1, 0.2);
    int path = path(1);
    periods(60, path);
    expect(port, 0.2);
  }

  /** 0.44 = 1 - 0.8 x 0.7 of both together, and the first alone shows its 0.2. */
  @Test
  void pathOverOnePortSeparatesTheMarksOfTheOther() {
    int first = port(1, 0.2);
    int second = port(2, 0.3);
    periods(200, path(1), path(1, 2));
    expect(first, 0.2);
    expect(second, 0.3);
  }

  /** Sums of pairs, of which each is solvable only with the others. */
  @Test
  void separatesPortsOfATreeThatSharePaths() {
    int first = port(1, 0.1);
    int second = port(2, 0.2);
    int third = port(3, 0.3);
    periods(400, path(1, 2), path(2, 3), path(1, 3));
    expect(first, 0.1);
    expect(second, 0.2);
    expect(third, 0.3);
  }

  /** 0.64 of all unmarked: sqrt(0.64) = 0.8 by each. */
  @Test
  void portsThatNoPathSeparatesGetEqualParts() {
    int first = port(1, 0.36);
    int second = port(2, 0);
    periods(200, path(1, 2));
    expect(first, 0.2);
    expect(second, 0.2);
  }

  @Test
  void reportedFractionsAreNotEstimated() {
    int first = port(1, 0.1);
    int second = port(2, 0.4);
    int path = path(1, 2);
    tomography.setKnown(first, 0.1);
    periods(200, path);
    expect(second, 0.4);
    tomography.setKnown(first, MarkedPart.UNKNOWN);
    periods(400, path);
    // What is known no more begins where it was estimated last, and both move by the same.
    assertThat((1 - tomography.part(first)) * (1 - tomography.part(second)))
        .isCloseTo(0.54, within(0.01));
  }

  @Test
  void tracksPortsThatStartOrStopMarking() {
    int port = port(1, 0.5);
    int path = path(1);
    periods(100, path);
    truth[1] = 0;
    periods(100, path);
    expect(port, 0);
  }

  /** A part above 0.95 has a logarithm that means nothing: it counts as that. */
  @Test
  void fullyMarkedPathGivesAFiniteEstimate() {
    int port = port(1, 1);
    periods(100, path(1));
    expect(port, 0.95);
  }

  @Test
  void portWithoutControlIsRemoved() {
    int port = port(1, 0.5);
    int path = path(1);
    periods(100, path);
    tomography.forget(port);
    state.ports.setUnitShare(port, 0);
    assertThat(tomography.part(port)).isEqualTo(MarkedPart.UNKNOWN);
    periods(100, path);
    assertThat(tomography.part(port)).isEqualTo(MarkedPart.UNKNOWN);
  }
}
