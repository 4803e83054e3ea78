// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemberTest {
  private static final Member RANGE = Member.ofPrefix(IpPrefix.parse("10.1.0.0/16"));
  private static final Member MAC = Member.ofMac(MacAddress.parse("02:00:00:00:01:01"));

  private static Member ofInterface(String name) {
    return Member.ofEndpoint(EndpointId.of(HostId.of("h1"), name));
  }

  @Test
  void defaultWeightIsOne() throws Exception {
    assertThat(RANGE.weight()).isEqualTo(1);
    assertThat(RANGE.withWeight(2.5).weight()).isEqualTo(2.5);
    assertThat(RANGE.withWeight(2.5).ipPrefix()).isEqualTo(RANGE.ipPrefix());
    assertThat(RANGE.withWeight(2.5).unweighted()).isEqualTo(RANGE);
  }

  @Test
  void membersThatDifferOnlyInWeightSelectTheSameEndpoints() throws Exception {
    assertThat(RANGE.withWeight(2)).isNotEqualTo(RANGE);
    assertThat(RANGE.withWeight(2).namesSameAs(RANGE.withWeight(3))).isTrue();
    assertThat(RANGE.namesSameAs(MAC)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -1, 0.009, 1000.1, Double.NaN, Double.POSITIVE_INFINITY})
  void refusesAWeightOutOfBounds(double weight) {
    SluiceException refusal =
        catchThrowableOfType(SluiceException.class, () -> RANGE.withWeight(weight));
    assertThat(refusal.kind()).isEqualTo(SluiceException.Kind.INVALID);
    assertThat(refusal.field()).contains("weight");
    assertThat(refusal.value()).isEqualTo(String.valueOf(weight));
    assertThat(refusal.remedy()).contains("0.01").contains("1000");
  }

  @Test
  void textHasTheFormOfCommandArguments() throws Exception {
    assertThat(RANGE).hasToString("10.1.0.0/16");
    assertThat(MAC.withWeight(100)).hasToString("02:00:00:00:01:01=100");
    assertThat(ofInterface("vm0").withWeight(0.25)).hasToString("h1/vm0=0.25");
    assertThat(ofInterface("a=2")).hasToString("h1/a=2=1");
  }
}
