// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.sluice.api.Finding;
import org.sluice.api.PortId;
import org.sluice.api.topology.NetworkTopology;
import org.sluice.api.topology.SwitchStatus;

class DiagnosisTest {
  private static final Finding SLOW =
      Finding.of(Finding.Severity.WARNING, "of:1", "It is slow", "sluice-switch-setup br0");

  private static final Labels LABELS =
      new Labels(
          port -> PortId.label(port, port.number() == 5 ? Optional.of("s1:5") : Optional.empty()),
          NetworkTopology.of(
              List.of(
                  SwitchStatus.of("of:0000000000000001", "s1", true, OptionalInt.of(0)),
                  SwitchStatus.of(
                      "of:0000000000000002", "of:0000000000000002", true, OptionalInt.of(0))),
              List.of(),
              List.of()));

  @Test
  void reportsThatNothingIsFound() {
    assertThat(Diagnosis.text(List.of(), LABELS)).isEqualTo("nothing to report");
  }

  @Test
  void remedyFollowsTheFinding() {
    assertThat(Diagnosis.text(List.of(SLOW), LABELS))
        .isEqualTo("warning  of:1: It is slow\n         -> sluice-switch-setup br0");
  }

  @Test
  void replacesIdsByNamesExceptInCommands() {
    Finding finding =
        Finding.of(
            Finding.Severity.WARNING,
            "of:0000000000000001",
            "Of of:0000000000000001/5, of:0000000000000001/6, s1:7 (of:0000000000000001/7) and"
                + " of:0000000000000002, host:h1/vm0",
            "set of:0000000000000001/5 50");
    assertThat(Diagnosis.text(List.of(finding), LABELS))
        .isEqualTo(
            "warning  s1 (of:0000000000000001): Of s1:5 (of:0000000000000001/5),"
                + " of:0000000000000001/6, s1:7 (of:0000000000000001/7) and"
                + " of:0000000000000002, host:h1/vm0\n"
                + "         -> set of:0000000000000001/5 50");
    assertThat(Listings.FINDINGS.json(List.of(finding)).toString())
        .contains("\"about\":\"of:0000000000000001\",\"what\":\"Of of:0000000000000001/5,");
  }

  /** A sentence may repeat what somebody typed. */
  @Test
  void whatIsNoIdIsLeftAsItIs() {
    assertThat(LABELS.inText("no of:0000000000000002/05 here"))
        .isEqualTo("no of:0000000000000002/05 here");
  }

  @Test
  void fieldNamesMatchRest() {
    assertThat(Listings.FINDINGS.json(List.of(SLOW)).toString())
        .isEqualTo(
            "{\"findings\":[{\"severity\":\"warning\",\"about\":\"of:1\",\"what\":\"It is slow\","
                + "\"remedy\":\"sluice-switch-setup br0\"}]}");
  }
}
