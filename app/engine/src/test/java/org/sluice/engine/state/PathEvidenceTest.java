// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.api.PortId;
import org.sluice.engine.path.Path;

/** Which packets show how much a port marks: those that no other can have marked. */
class PathEvidenceTest {
  private static final double SHARE = 1e6;

  private final PortTable ports = new PortTable();
  private final PathTable paths = new PathTable(ports);
  private final int first = ports.findOrAdd(id(1));
  private final int second = ports.findOrAdd(id(2));
  private final int path = paths.retain(Path.of(List.of(hop(1), hop(2)), false));

  private static PortId id(long number) {
    return PortId.of("of:0000000000000001", number);
  }

  private static Path.Hop hop(long number) {
    return Path.Hop.of(id(number));
  }

  private void expect(int port, long packets, long marks) {
    assertThat(ports.solePackets[port]).isEqualTo(packets);
    assertThat(ports.soleMarks[port]).isEqualTo(marks);
  }

  @Test
  void withoutAPortUnderControlThereIsNone() {
    paths.addEvidence(path, 10, 4);
    expect(first, 0, 0);
    expect(second, 0, 0);
  }

  @Test
  void theOnlyPortUnderControlHasSetAllMarks() {
    ports.setUnitShare(second, SHARE);
    paths.addEvidence(path, 10, 4);
    paths.addEvidence(path, 5, 1);
    expect(first, 0, 0);
    expect(second, 15, 5);
  }

  @Test
  void aPathOverTwoPortsUnderControlGivesNone() {
    ports.setUnitShare(first, SHARE);
    ports.setUnitShare(second, SHARE);
    paths.addEvidence(path, 10, 4);
    expect(first, 0, 0);
    expect(second, 0, 0);
  }

  @Test
  void followsPortsThatComeUnderControlAndLeaveIt() {
    ports.setUnitShare(second, SHARE);
    paths.addEvidence(path, 10, 4);
    ports.setUnitShare(first, SHARE);
    paths.addEvidence(path, 20, 8);
    expect(second, 10, 4);
    ports.setUnitShare(second, 0);
    expect(second, 0, 0);
    paths.addEvidence(path, 30, 9);
    expect(first, 30, 9);
    expect(second, 0, 0);
  }

  /** Another share is no other control: what was seen before counts still. */
  @Test
  void aShareThatMovesForgetsNothing() {
    ports.setUnitShare(second, SHARE);
    paths.addEvidence(path, 10, 4);
    ports.setUnitShare(second, 2 * SHARE);
    paths.addEvidence(path, 10, 4);
    expect(second, 20, 8);
  }

  /** Only half of the packets have crossed it, and which ones nobody knows. */
  @Test
  void aPathThatSpreadsOverAPortGivesNone() {
    int spread =
        paths.retain(Path.of(List.of(Path.Hop.of(id(1), 0.5), Path.Hop.of(id(2), 0.5)), false));
    ports.setUnitShare(second, SHARE);
    paths.addEvidence(spread, 10, 4);
    expect(second, 0, 0);
  }

  /** A row that another path has got by now has that one's port. */
  @Test
  void aRowOfAPathThatGoesServesAnother() {
    ports.setUnitShare(second, SHARE);
    paths.addEvidence(path, 10, 4);
    paths.release(path);
    int other = paths.retain(Path.of(List.of(hop(1)), false));
    assertThat(other).isEqualTo(path);
    paths.addEvidence(other, 10, 4);
    expect(second, 10, 4);
  }
}
