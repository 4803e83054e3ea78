// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * A port behind two others, all three of them full: receivers' marks of its paths are attributed to
 * the two once control of all has begun.
 */
class HiddenCongestionTest {

  /** 1 crosses ports 1 and 3, 2 crosses 2 and 3; 4 and 5 cross 1 and 2 alone. */
  private static EngineFixture tree() {
    EngineFixture fixture = new EngineFixture().portOf(1, 50).portOf(2, 50).portOf(3, 50);
    fixture.endpointAt(1).endpointAt(2).endpointAt(4).endpointAt(5).endpointAt(8).endpointAt(9);
    return fixture.path(1, 9, 1, 3).path(2, 9, 2, 3).path(4, 8, 1).path(5, 8, 2);
  }

  /** Packets of each in a T_i; 10 are 24 Mbit/s. */
  private static void send(EngineFixture fixture, int periods, long crossing, long others) {
    for (int i = 0; i < periods; i++) {
      fixture.traffic(1, 9, crossing, 4).traffic(2, 9, crossing, 4);
      fixture.traffic(4, 8, others, 4).traffic(5, 8, others, 4);
      fixture.tick();
    }
  }

  /** First the third has the highest load and gets all marks, then the others. */
  private static EngineFixture allControlled() {
    EngineFixture fixture = tree();
    send(fixture, 20, 14, 2);
    assertThat(fixture.status(3).congested()).isTrue();
    send(fixture, 20, 10, 14);
    assertThat(fixture.status(1).congested()).isTrue();
    assertThat(fixture.status(2).congested()).isTrue();
    return fixture;
  }

  @Test
  void fullPortStaysControlledAlthoughItsMarksAreAttributedToOthers() {
    EngineFixture fixture = allControlled();
    send(fixture, 600, 10, 14);
    assertThat(fixture.status(3).congested()).isTrue();
    assertThat(fixture.status(3).unitShareBitsPerSecond()).isEqualTo(25 * EngineFixture.MBIT);
  }

  @Test
  void fullPortBecomesControlledAlthoughItsMarksAreAttributedToOthers() {
    EngineFixture fixture = tree();
    send(fixture, 100, 10, 14);
    assertThat(fixture.status(3).congested()).isTrue();
    assertThat(fixture.status(3).estimated()).isFalse();
  }

  @Test
  void portWithUnmarkedPathsOfItsOwnIsNotControlled() {
    EngineFixture fixture = tree().path(4, 9, 3);
    for (int i = 0; i < 100; i++) {
      fixture.traffic(1, 9, 10, 4).traffic(2, 9, 8, 4).traffic(4, 9, 3, 0);
      fixture.traffic(4, 8, 14, 4).traffic(5, 8, 16, 4).tick();
    }
    assertThat(fixture.status(1).congested()).isTrue();
    assertThat(fixture.status(3).congested()).isFalse();
  }

  @Test
  void portThatIsNotFullIsNotControlled() {
    EngineFixture fixture = allControlled();
    send(fixture, 600, 8, 14);
    assertThat(fixture.status(3).congested()).isFalse();
  }

  @Test
  void portWithoutMarksOnItsPathsIsNotControlled() {
    EngineFixture fixture = allControlled();
    for (int i = 0; i < 600; i++) {
      fixture.traffic(1, 9, 10, 0).traffic(2, 9, 10, 0).tick();
    }
    assertThat(fixture.status(3).congested()).isFalse();
  }

  @Test
  void portFedOnlyByAControlledPortIsNotControlled() {
    EngineFixture fixture = allControlled();
    for (int i = 0; i < 600; i++) {
      fixture.traffic(1, 9, 20, 4).traffic(4, 8, 1, 0).traffic(5, 8, 20, 4).tick();
    }
    assertThat(fixture.status(1).congested()).isTrue();
    assertThat(fixture.status(3).congested()).isFalse();
  }
}
