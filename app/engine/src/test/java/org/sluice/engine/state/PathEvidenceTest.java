// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.api.HostId;
import org.sluice.api.PortId;
import org.sluice.engine.path.Path;

/** Of which paths receivers' reports show how much ports mark, and for how long. */
class PathEvidenceTest {
  private static final double SHARE = 1e6;

  private final PortTable ports = new PortTable();
  private final PathTable paths = new PathTable(ports);
  private final PathEvidence evidence = paths.evidence;
  private final int first = ports.findOrAdd(id(1));
  private final int second = ports.findOrAdd(id(2));
  private final int path = paths.retain(Path.of(List.of(hop(1), hop(2)), false));

  private static PortId id(long number) {
    return PortId.of("of:0000000000000001", number);
  }

  private static Path.Hop hop(long number) {
    return Path.Hop.of(id(number));
  }

  private void expect(double packets, double marks) {
    assertThat(evidence.size()).isEqualTo(1);
    assertThat(evidence.path(0)).isEqualTo(path);
    assertThat(evidence.packets(path)).isEqualTo(packets);
    assertThat(evidence.marks(path)).isEqualTo(marks);
  }

  private void expectSole(int port, double packets, double marks) {
    evidence.keepSole(port);
    assertThat(evidence.size()).isZero();
    assertThat(evidence.solePackets(port)).isEqualTo(packets);
    assertThat(evidence.soleMarks(port)).isEqualTo(marks);
  }

  private void controlBoth() {
    ports.setUnitShare(first, SHARE);
    ports.setUnitShare(second, SHARE);
  }

  @Test
  void pathWithoutControlledPortGivesNoEvidence() {
    paths.addEvidence(path, 10, 4);
    expectSole(first, 0, 0);
    expectSole(second, 0, 0);
  }

  @Test
  void onlyControlledPortOfAPathGetsAllMarks() {
    ports.setUnitShare(second, SHARE);
    paths.addEvidence(path, 10, 4);
    paths.addEvidence(path, 5, 1);
    expectSole(first, 0, 0);
    expectSole(second, 15, 5);
  }

  @Test
  void pathOverSeveralPortsIsCountedSeparately() {
    controlBoth();
    paths.addEvidence(path, 10, 4);
    paths.addEvidence(path, 5, 1);
    expect(15, 5);
    assertThat(evidence.solePart(first)).isZero();
  }

  @Test
  void tracksPortsThatBecomeControlled() {
    ports.setUnitShare(second, SHARE);
    paths.addEvidence(path, 10, 4);
    ports.setUnitShare(first, SHARE);
    paths.addEvidence(path, 20, 8);
    expect(20, 8);
    evidence.keepSole(second);
    assertThat(evidence.solePackets(second)).as("what was shown before").isEqualTo(10);
  }

  /** Another share is no other control. */
  @Test
  void changedShareKeepsEvidence() {
    controlBoth();
    paths.addEvidence(path, 10, 4);
    ports.setUnitShare(second, 2 * SHARE);
    paths.addEvidence(path, 10, 4);
    expect(20, 8);
  }

  /** Only half of the packets have crossed it, and which ones nobody knows. */
  @Test
  void pathWithAFractionalPortGivesNoEvidence() {
    int spread =
        paths.retain(Path.of(List.of(Path.Hop.of(id(1), 0.5), Path.Hop.of(id(2), 0.5)), false));
    ports.setUnitShare(second, SHARE);
    paths.addEvidence(spread, 10, 4);
    expectSole(second, 0, 0);
    ports.setUnitShare(first, SHARE);
    paths.addEvidence(spread, 10, 4);
    expectSole(second, 0, 0);
  }

  /** A receive port's marks are reported apart: none of them is in what is counted on a path. */
  @Test
  void receivePortGivesNoEvidence() {
    PortId receiver = PortId.ofReceiver(HostId.of("h1"), "vm1");
    int port = ports.findOrAdd(receiver);
    int toReceiver = paths.retain(Path.of(List.of(hop(1), Path.Hop.of(receiver)), false));
    ports.setUnitShare(port, SHARE);
    paths.addEvidence(toReceiver, 10, 4);
    expectSole(port, 0, 0);
    ports.setUnitShare(first, SHARE);
    paths.addEvidence(toReceiver, 10, 4);
    expectSole(port, 0, 0);
    expectSole(first, 10, 4);
  }

  @Test
  void decaysToZero() {
    controlBoth();
    paths.addEvidence(path, 10, 4);
    assertThat(evidence.fade(path, 0.25)).isTrue();
    expect(2.5, 1);
    assertThat(evidence.fade(path, 0.125)).isFalse();
    assertThat(evidence.size()).isZero();
    paths.addEvidence(path, 3, 1);
    expect(3, 1);
  }

  @Test
  void evidenceOfASinglePortDecays() {
    ports.setUnitShare(second, SHARE);
    paths.addEvidence(path, 10, 4);
    assertThat(evidence.solePart(second)).isEqualTo(0.4);
    evidence.keepSole(second);
    assertThat(evidence.solePart(second)).as("nothing new").isZero();
    evidence.fadeSole(second, 0.5);
    expectSole(second, 5, 2);
    evidence.fadeSole(second, 0);
    expectSole(second, 0, 0);
  }

  /** Its ports give no more evidence of each other. */
  @Test
  void pathReducedToOnePortIsRemoved() {
    controlBoth();
    paths.addEvidence(path, 10, 4);
    ports.setUnitShare(second, 0);
    assertThat(evidence.fade(path, 0.9)).isFalse();
    assertThat(evidence.size()).isZero();
  }

  /** The last of the list takes the place of one that is removed. */
  @Test
  void singlePathOfSeveralCanBeRemoved() {
    int other = paths.retain(Path.of(List.of(hop(2), hop(1)), false));
    controlBoth();
    paths.addEvidence(other, 1, 1);
    paths.addEvidence(path, 10, 4);
    assertThat(evidence.fade(other, 0.1)).isFalse();
    expect(10, 4);
  }

  /** A row that another path has got by now begins with nothing. */
  @Test
  void rowOfARemovedPathIsReused() {
    controlBoth();
    paths.addEvidence(path, 10, 4);
    paths.release(path);
    assertThat(evidence.size()).isZero();
    int other = paths.retain(Path.of(List.of(hop(1)), false));
    assertThat(other).isEqualTo(path);
    paths.addEvidence(other, 10, 4);
    expectSole(first, 10, 4);
  }
}
