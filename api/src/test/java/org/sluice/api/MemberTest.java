// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import java.util.Map;
import java.util.Optional;
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

  @ParameterizedTest
  @ValueSource(
      strings = {
        "domain:web1",
        "namespace:shop+label:a.b/c:web+label:tier:",
        "network:blue+vlan:100+bridge:br0",
        "vlan:4094"
      })
  void metadataIsReadAsItIsWritten(String text) throws Exception {
    assertThat(Member.parseMetadata(text).orElseThrow()).hasToString(text);
    assertThat(Member.parseMetadata(text).orElseThrow().withWeight(2)).hasToString(text + "=2");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "namespace:Shop",
        "namespace:shop+app:web",
        "label:app",
        "label:-a:b",
        "vlan:4095",
        "vlan:ten",
        "bridge:br0+bridge:br1",
        "bridge:a-name-too-long-for-linux",
        "domain:",
        "network:a b"
      })
  void refusesMetadataThatNoInterfaceHas(String text) {
    SluiceException refusal =
        catchThrowableOfType(SluiceException.class, () -> Member.parseMetadata(text));
    assertThat(refusal.kind()).isEqualTo(SluiceException.Kind.INVALID);
    assertThat(refusal.remedy()).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.1.0.0/16", "fd00::/8", "02:00:00:00:01:01", "h1/vm0", "bridge", ""})
  void otherMembersAreNoMetadata(String text) throws Exception {
    assertThat(Member.parseMetadata(text)).isEmpty();
  }

  @Test
  void namesAtLeastOnePropertyAndNoPod() {
    EndpointMetadata pod = EndpointMetadata.builder().pod(Optional.of("web-0")).build();
    for (EndpointMetadata metadata : List.of(EndpointMetadata.NONE, pod)) {
      assertThat(
              catchThrowableOfType(
                  IllegalArgumentException.class, () -> Member.ofMetadata(metadata)))
          .isNotNull();
    }
  }

  @Test
  void ranksByWhatCountsMostAndThenByLabels() throws Exception {
    List<String> ascending =
        List.of(
            "bridge:br0",
            "vlan:1",
            "vlan:1+bridge:br0",
            "network:blue",
            "label:a:b",
            "label:a:b+label:c:d",
            "namespace:shop",
            "namespace:shop+network:blue+vlan:1+bridge:br0",
            "namespace:shop+label:a:b",
            "namespace:shop+label:a:b+label:c:d",
            "domain:web1");
    int last = RANGE.specificity();
    for (String text : ascending) {
      int now = Member.parseMetadata(text).orElseThrow().specificity();
      assertThat(now).as(text).isGreaterThan(last);
      last = now;
    }
    assertThat(MAC.specificity()).isGreaterThan(last);
  }

  @Test
  void coversWhatHasAllThatItNames() throws Exception {
    EndpointMetadata web =
        EndpointMetadata.builder()
            .namespace(Optional.of("shop"))
            .bridge(Optional.of("br0"))
            .labels(Map.of("app", "web", "tier", "front"))
            .build();
    EndpointId id = EndpointId.parse("h1/vm0");
    MacAddress mac = MacAddress.parse("02:00:00:00:01:01");
    for (String text : List.of("bridge:br0", "namespace:shop+label:app:web", "label:tier:front")) {
      assertThat(Member.parseMetadata(text).orElseThrow().covers(id, mac, List.of(), web)).isTrue();
    }
    for (String text : List.of("vlan:1", "namespace:shop+label:app:db", "namespace:shop+vlan:1")) {
      assertThat(Member.parseMetadata(text).orElseThrow().covers(id, mac, List.of(), web))
          .isFalse();
    }
  }
}
