// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.api.Finding;

class DiagnosisTest {
  private static final Finding SLOW =
      Finding.of(Finding.Severity.WARNING, "of:1", "It is slow", "sluice-switch-setup br0");

  @Test
  void statesThatThereIsNothing() {
    assertThat(Diagnosis.text(List.of())).isEqualTo("nothing to report");
  }

  @Test
  void putsTheRemedyBelow() {
    assertThat(Diagnosis.text(List.of(SLOW)))
        .isEqualTo("warning  of:1: It is slow\n         -> sluice-switch-setup br0");
  }

  @Test
  void hasTheNamesOfRest() {
    assertThat(Listings.FINDINGS.json(List.of(SLOW)).toString())
        .isEqualTo(
            "{\"findings\":[{\"severity\":\"warning\",\"about\":\"of:1\",\"what\":\"It is slow\","
                + "\"remedy\":\"sluice-switch-setup br0\"}]}");
  }
}
