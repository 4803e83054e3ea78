// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class YamlReaderTest {
  @Test
  void keepsTheLineOfEachValue() {
    ScenarioDocument document =
        YamlReader.read("x.yaml", "a: 1\nb:\n  - c: 2\n  - {d: 3,\n     e: 4}\n");

    assertThat(document.origin(KeyPath.parse("a"))).hasToString("x.yaml:1");
    assertThat(document.origin(KeyPath.parse("b.0.c"))).hasToString("x.yaml:3");
    assertThat(document.origin(KeyPath.parse("b.1.e"))).hasToString("x.yaml:5");
    assertThat(document.origin(KeyPath.parse("b.1.none"))).hasToString("x.yaml:4");
  }

  @Test
  void readsTypesOfYaml12() {
    ScenarioDocument document =
        YamlReader.read("x.yaml", "a: off\nb: true\nc: 1.5\nd: '7'\ne: 5 ms\nf:\ng: 99999999999\n");

    assertThat(document.root().toString())
        .isEqualTo(
            "{\"a\":\"off\",\"b\":true,\"c\":1.5,\"d\":\"7\",\"e\":\"5 ms\",\"f\":null,"
                + "\"g\":99999999999}");
  }

  @Test
  void aliasIsReplacedByItsAnchor() {
    ScenarioDocument document = YamlReader.read("x.yaml", "a: &l {r: 1}\nb: *l\n");

    assertThat(document.root().at("/b/r").asInt()).isEqualTo(1);
  }

  @Test
  void rejectsDocumentsThatAreNotMappings() {
    assertThatThrownBy(() -> YamlReader.read("x.yaml", "- a\n"))
        .isInstanceOf(ScenarioException.class)
        .hasMessageStartingWith("x.yaml:1: ");
    assertThatThrownBy(() -> YamlReader.read("x.yaml", "")).isInstanceOf(ScenarioException.class);
  }
}
