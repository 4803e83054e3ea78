// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.api.Finding.Severity.ERROR;
import static org.sluice.api.Finding.Severity.WARNING;
import static org.sluice.onos.testing.Waiting.until;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.onosproject.app.ApplicationState;
import org.sluice.api.Finding;
import org.sluice.core.setting.SettingTable.Forwarding;
import org.sluice.core.spi.Symptom;
import org.sluice.forwarding.ForwardingDiagnosis;
import org.sluice.onos.testing.OnosWorld;
import org.sluice.onos.testing.SluiceNode;

class OnosDiagnosisTest {
  private static final String S1 = "of:0000000000000001";
  private static final String S2 = "of:0000000000000002";
  private static final String FORWARDER = "org.onosproject.fwd";

  private final OnosDiagnosis diagnosis = new OnosDiagnosis(new OnosServices(), null, () -> "");

  private static List<Finding> findings(
      String version, Forwarding forwarding, Boolean extraneousRulesAllowed) {
    return OnosDiagnosis.findings(version, forwarding, Optional.ofNullable(extraneousRulesAllowed));
  }

  private static void one(
      List<Finding> found, Finding.Severity severity, String about, String what, String remedy) {
    assertThat(found).hasSize(1);
    assertThat(found.get(0).severity()).isEqualTo(severity);
    assertThat(found.get(0).about()).isEqualTo(about);
    assertThat(found.get(0).what()).contains(what);
    assertThat(found.get(0).remedy()).contains(remedy);
  }

  @Test
  void healthyInstallationHasNoFinding() {
    assertThat(findings("2.7.0", Forwarding.OWN, true)).isEmpty();
    assertThat(findings("2.7.0", Forwarding.OWN, null)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"2.5.6,0", "2.7.0,0", "2.6.0-SNAPSHOT,0", "2.4.0,1", "2.8.0,1", "3.0.0,1", "x,1"})
  void reportsAnUntestedOnosVersion(String version, int count) {
    List<Finding> found = findings(version, Forwarding.OWN, true);
    assertThat(found).hasSize(count);
    assertThat(found)
        .allMatch(finding -> finding.severity() == WARNING)
        .allMatch(finding -> finding.what().contains(version));
  }

  @Test
  void reportsSettingsThatInterruptTenants() {
    one(
        findings("2.7.0", Forwarding.OWN, false),
        WARNING,
        "ONOS",
        "comes back from a restart",
        "cfg set org.onosproject.net.flow.impl.FlowRuleManager allowExtraneousRules true");
    assertThat(findings("2.7.0", Forwarding.OTHER, false))
        .as("with forwarding = other somebody else should")
        .isEmpty();
  }

  @Test
  void remediesHaveOnosCommands() {
    assertThat(diagnosis.settingCommand("agentLinkTrust", "FILE.pem"))
        .isEqualTo("cfg set org.sluice.onos.SluiceManager agentLinkTrust FILE.pem");
    assertThat(diagnosis.masterRemedy()).contains("balance-masters");
    assertThat(diagnosis.capacityRemedy(S1 + "/5"))
        .contains("{\"" + S1 + "/5\": {\"capacityMbps\": N}}");
  }

  @ParameterizedTest
  @CsvSource({
    "NO_RULES,ovs-vsctl set-controller",
    "RULE_PENDING,flows -s pending_add of:0000000000000001",
    "METER_PENDING,meters of:0000000000000001",
    "NO_SUCH_PORT,onos-netcfg ONOS FILE",
  })
  void findingsHaveCommandsForDiagnosisAndRepair(Symptom.Kind kind, String command) {
    assertThat(diagnosis.symptomRemedy(kind, S1)).contains(command);
  }

  /** What ONOS knows of simulated switches, through its real managers. */
  @Nested
  @Timeout(120)
  class OfSwitches {
    private final OnosWorld world = new OnosWorld();
    private final SluiceNode node = new SluiceNode(world);
    private ForwardingDiagnosis forwarding;

    @BeforeEach
    void build() {
      world.switches.connect("s1", 1, 2, 5);
      world.switches.connect("s2", 1, 5);
      world.switches.link("s1/5", "s2/5");
    }

    private void start() {
      node.start();
      forwarding =
          new ForwardingDiagnosis(
              node.plane.platform(), node.plane.plane(), node.manager.settings());
    }

    @AfterEach
    void end() {
      node.stop();
      world.close();
    }

    private Set<Symptom.Kind> kinds(String datapath) {
      world.switches.poll();
      return forwarding.symptoms().stream()
          .filter(symptom -> symptom.datapath().equals(datapath))
          .map(Symptom::kind)
          .collect(Collectors.toSet());
    }

    @Test
    void healthySwitchHasNoSymptom() {
      start();
      until(() -> assertThat(world.switches.rules("s1")).isNotEmpty());
      until(() -> assertThat(kinds(S1)).isEmpty());
      until(() -> assertThat(kinds(S2)).isEmpty());
    }

    @Test
    void switchWithoutMetersIsReportedWhereItHasLinks() {
      world.denyMeters("s1");
      start();
      until(() -> assertThat(kinds(S1)).containsExactly(Symptom.Kind.NO_METERS));
      until(() -> assertThat(kinds(S2)).isEmpty());
    }

    @Test
    void switchesOfOtherMastersOrForwardersAreNotExamined() {
      world.denyMeters("s1");
      start();
      until(() -> assertThat(kinds(S1)).containsExactly(Symptom.Kind.NO_METERS));
      world.loseMastership("s1");
      assertThat(kinds(S1)).isEmpty();
      world.gainMastership("s1");
      until(() -> assertThat(kinds(S1)).containsExactly(Symptom.Kind.NO_METERS));
      node.set("forwarding", "other");
      until(() -> assertThat(kinds(S1)).isEmpty());
    }

    @Test
    void anotherActiveForwarderIsReported() {
      start();
      assertThat(forwarding.findings((setting, value) -> "set")).isEmpty();
      world.applications.set(FORWARDER, ApplicationState.ACTIVE);
      one(
          forwarding.findings((setting, value) -> "set"),
          ERROR,
          "forwarding",
          "org.onosproject.fwd is active",
          "app deactivate org.onosproject.fwd, or set");
    }
  }
}
