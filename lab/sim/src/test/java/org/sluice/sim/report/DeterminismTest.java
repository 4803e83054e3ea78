// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A result depends on the scenario alone. */
class DeterminismTest {
  private static String json(int jobs, String... settings) {
    return JsonReport.text(Reports.tiny(jobs, settings))
        .replaceAll("(?m)^ *\"(cpuSeconds|peakMegabytes)\".*\n", "");
  }

  @Test
  void resultIsIndependentOfTheNumberOfJobs() {
    String once = json(1);

    assertThat(once).contains("\"packetHops\"").doesNotContain("cpuSeconds");
    assertThat(json(1)).isEqualTo(once);
    assertThat(json(2)).isEqualTo(once);
    assertThat(json(4)).isEqualTo(once);
  }

  @Test
  void seedsGiveDifferentResults() {
    Result result = Reports.tiny(1);

    assertThat(result.runs().get(0).seed()).isEqualTo(1);
    assertThat(result.runs().get(1).seed()).isEqualTo(2);
    assertThat(result.runs().get(0).events()).isNotEqualTo(result.runs().get(1).events());
  }

  @Test
  void seedIsIndependentOfTheNumberOfSeeds() {
    assertThat(Reports.tiny(1, "seeds=1").runs().get(0).metrics())
        .isEqualTo(Reports.tiny(1, "seeds=2").runs().get(0).metrics());
  }
}
