// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.setting;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Hashtable;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ParameterReaderTest {
  private final Hashtable<String, Object> properties = new Hashtable<>();
  private final List<String> warnings = new ArrayList<>();

  private Parameters read(Parameters before) {
    return ParameterReader.read(properties, before, warnings::add);
  }

  @Test
  void nothingSaidKeepsWhatHeld() {
    assertThat(read(Parameters.defaults())).isEqualTo(Parameters.defaults());
    assertThat(warnings).isEmpty();
  }

  @Test
  void readsEveryProperty(@TempDir Path directory) throws Exception {
    Path file = Files.createFile(directory.resolve("key.pem"));
    properties.put("enforcement", "off");
    properties.put("law", "paper");
    properties.put("split", "equal");
    properties.put("controlPeriodMillis", "20");
    properties.put("forwarding", "other");
    properties.put("spreading", "destinations");
    properties.put("agentLinkPort", 7000);
    properties.put("agentLinkKey", file.toString());
    properties.put("agentLinkCertificate", file.toString());
    properties.put("agentLinkTrust", file.toString());
    properties.put("leaseMillis", " 3000 ");
    properties.put("fastCounters", "off");
    properties.put("fastCountersPort", 7001);
    properties.put("notices", "in-band");
    properties.put("noticeFormat", "paper");
    properties.put("noticeProtocol", 254);

    Parameters parameters = read(Parameters.defaults());

    assertThat(parameters.enforcement()).isFalse();
    assertThat(parameters.law()).isEqualTo(Parameters.Law.PAPER);
    assertThat(parameters.split()).isEqualTo(Parameters.Split.EQUAL);
    assertThat(parameters.controlPeriodMillis()).isEqualTo(20);
    assertThat(parameters.forwarding()).isEqualTo(Parameters.Forwarding.OTHER);
    assertThat(parameters.spreading()).isEqualTo(Parameters.Spreading.DESTINATIONS);
    assertThat(parameters.agentLinkPort()).isEqualTo(7000);
    assertThat(parameters.agentLinkKey()).isEqualTo(file.toString());
    assertThat(parameters.agentLinkCertificate()).isEqualTo(file.toString());
    assertThat(parameters.agentLinkTrust()).isEqualTo(file.toString());
    assertThat(parameters.leaseMillis()).isEqualTo(3000);
    assertThat(parameters.fastCounters()).isFalse();
    assertThat(parameters.fastCountersPort()).isEqualTo(7001);
    assertThat(parameters.notices()).isEqualTo(Parameters.Notices.IN_BAND);
    assertThat(parameters.noticeFormat()).isEqualTo(Parameters.NoticeFormat.PAPER);
    assertThat(parameters.noticeProtocol()).isEqualTo(254);
    assertThat(warnings).hasSize(1);
  }

  @Test
  void noticesDoNotGoInBandWhereOthersForward() {
    properties.put("notices", "in-band");
    assertThat(read(Parameters.defaults()).noticesInBand()).isTrue();
    assertThat(warnings).isEmpty();

    properties.put("forwarding", "other");
    assertThat(read(Parameters.defaults()).noticesInBand()).isFalse();
    assertThat(warnings).hasSize(1);
    assertThat(warnings.get(0))
        .contains("notices = 'in-band'")
        .contains("forwarding = other")
        .contains("set notices = link");
  }

  @Test
  void switchesAreNotAskedAboutFlowsWhereOthersForward() {
    assertThat(Parameters.defaults().flows()).isEqualTo(Parameters.Flows.HOST);
    properties.put("flows", "switch");
    assertThat(read(Parameters.defaults()).switchFlows()).isTrue();
    assertThat(warnings).isEmpty();

    properties.put("forwarding", "other");
    assertThat(read(Parameters.defaults()).switchFlows()).isFalse();
    assertThat(warnings).hasSize(1);
    assertThat(warnings.get(0))
        .contains("flows = 'switch'")
        .contains("forwarding = other")
        .contains("set flows = host");
  }

  @ParameterizedTest
  @CsvSource({
    "enforcement, true",
    "enforcement, ON",
    "law, fair",
    "split, ''",
    "controlPeriodMillis, 0",
    "controlPeriodMillis, 1001",
    "controlPeriodMillis, five",
    "forwarding, fwd",
    "spreading, packets",
    "agentLinkPort, 0",
    "agentLinkPort, 65536",
    "agentLinkKey, /no/such/file.pem",
    "agentLinkCertificate, /no/such/file.pem",
    "agentLinkTrust, /no/such/file.pem",
    "leaseMillis, 499",
    "leaseMillis, 600001",
    "fastCounters, maybe",
    "fastCountersPort, 0",
    "notices, in_band",
    "noticeFormat, v2",
    "noticeProtocol, 6",
    "noticeProtocol, 255",
    "flows, agent",
  })
  void aValueThatCannotBeRightKeepsTheOldOneAndSaysSo(String name, String value) {
    properties.put("controlPeriodMillis", "7");
    Parameters before = read(Parameters.defaults());
    properties.put(name, value);

    Parameters after = read(before);

    assertThat(after).isEqualTo(before);
    assertThat(warnings).hasSize(1);
    assertThat(warnings.get(0)).contains(name).contains("'" + value + "'").contains("use ");
  }

  @Test
  void goodValuesBesideABadOneHold() {
    properties.put("law", "nonsense");
    properties.put("controlPeriodMillis", "50");

    assertThat(read(Parameters.defaults()).controlPeriodMillis()).isEqualTo(50);
    assertThat(warnings).hasSize(1);
  }
}
