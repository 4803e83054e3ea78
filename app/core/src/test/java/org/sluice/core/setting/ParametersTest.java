// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.setting;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Hashtable;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sluice.api.IpAddress;
import org.sluice.api.Law;
import org.sluice.engine.law.SdnGccLaw.Split;
import org.sluice.engine.law.WindowScheme;

class ParametersTest {
  private final Hashtable<String, Object> properties = new Hashtable<>();
  private final List<String> warnings = new ArrayList<>();

  private Parameters read(Parameters before) {
    return before.read(properties::get, warnings::add);
  }

  @Test
  void missingPropertiesKeepTheirValues() {
    assertThat(read(Parameters.defaults())).isEqualTo(Parameters.defaults());
    assertThat(warnings).isEmpty();
  }

  @Test
  void readsEveryProperty(@TempDir Path directory) throws Exception {
    Path file = Files.createFile(directory.resolve("key.pem"));
    properties.put("enforcement", "off");
    properties.put("law", "sdn-gcc");
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
    properties.put("noticeFormat", "sdn-gcc");
    properties.put("noticeProtocol", 254);
    properties.put("windows", "sed");

    Parameters parameters = read(Parameters.defaults());

    assertThat(parameters.get(SettingTable.ENFORCEMENT)).isFalse();
    assertThat(parameters.get(SettingTable.LAW)).isEqualTo(Law.SDN_GCC);
    assertThat(parameters.get(SettingTable.SPLIT)).isEqualTo(Split.EQUAL);
    assertThat(parameters.get(SettingTable.CONTROL_PERIOD_MILLIS)).isEqualTo(20);
    assertThat(parameters.get(SettingTable.FORWARDING)).isEqualTo(SettingTable.Forwarding.OTHER);
    assertThat(parameters.get(SettingTable.SPREADING))
        .isEqualTo(SettingTable.Spreading.DESTINATIONS);
    assertThat(parameters.get(SettingTable.AGENT_LINK_PORT)).isEqualTo(7000);
    assertThat(parameters.get(SettingTable.AGENT_LINK_KEY)).isEqualTo(file.toString());
    assertThat(parameters.get(SettingTable.AGENT_LINK_CERTIFICATE)).isEqualTo(file.toString());
    assertThat(parameters.get(SettingTable.AGENT_LINK_TRUST)).isEqualTo(file.toString());
    assertThat(parameters.get(SettingTable.LEASE_MILLIS)).isEqualTo(3000);
    assertThat(parameters.get(SettingTable.FAST_COUNTERS)).isFalse();
    assertThat(parameters.get(SettingTable.FAST_COUNTERS_PORT)).isEqualTo(7001);
    assertThat(parameters.get(SettingTable.NOTICES)).isEqualTo(SettingTable.Notices.IN_BAND);
    assertThat(parameters.get(SettingTable.NOTICE_FORMAT))
        .isEqualTo(SettingTable.NoticeFormat.SDN_GCC);
    assertThat(parameters.get(SettingTable.NOTICE_PROTOCOL)).isEqualTo(254);
    assertThat(parameters.get(SettingTable.WINDOWS)).isEqualTo(WindowScheme.SED);
    assertThat(warnings).hasSize(1);
  }

  @Test
  void noticesAreNotInBandWithForwardingOther() {
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
  void switchesDoNotReportFlowsWithForwardingOther() {
    assertThat(Parameters.defaults().get(SettingTable.FLOWS)).isEqualTo(SettingTable.Flows.HOST);
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
    "law, hygenicc",
    "law, paper",
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
    "windows, paper",
    "sflowPort, -1",
    "sflowPort, 65536",
    "sflowAgents, switch1",
    "sflowAgents, 0.0.0.0",
    "sflowAgents, 224.0.0.1",
    "sflowAgents, ff02::1",
    "sflowAddress, localhost",
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
  void addressesAreReadInOrderWithoutDuplicates() {
    properties.put("sflowAgents", " 192.0.2.2, fd00:0::1,192.0.2.1,192.0.2.2 ");
    properties.put("sflowAddress", "127.0.0.1");
    properties.put("sflowPort", "6343");
    Parameters parameters = read(Parameters.defaults());
    assertThat(parameters.get(SettingTable.SFLOW_AGENTS))
        .containsExactly(
            IpAddress.parse("192.0.2.2"), IpAddress.parse("fd00::1"), IpAddress.parse("192.0.2.1"));
    assertThat(SettingTable.SFLOW_AGENTS.write(parameters.get(SettingTable.SFLOW_AGENTS)))
        .isEqualTo("192.0.2.2," + IpAddress.parse("fd00::1") + ",192.0.2.1");
    assertThat(parameters.samplesFlows()).isTrue();
    assertThat(parameters.needsFlowSizes()).as("agents are not queried").isFalse();

    properties.put("sflowAgents", "");
    assertThat(read(parameters).get(SettingTable.SFLOW_AGENTS)).isEmpty();
    assertThat(warnings).isEmpty();
  }

  @Test
  void invalidAddressIsNamed() {
    properties.put("sflowAgents", "192.0.2.1,192.0.2.300,192.0.2.3");
    assertThat(read(Parameters.defaults()).get(SettingTable.SFLOW_AGENTS)).isEmpty();
    assertThat(warnings).hasSize(1);
    assertThat(warnings.get(0))
        .contains("sflowAgents = '192.0.2.1,192.0.2.300,192.0.2.3' is refused for '192.0.2.300'")
        .contains("use at most 1024 IPv4 or IPv6 addresses");
  }

  @Test
  void addressesBeyondTheCollectorsLimitAreRejected() {
    properties.put(
        "sflowAgents",
        IntStream.rangeClosed(1, 1025)
            .mapToObj(i -> "10.0." + i / 256 + "." + i % 256)
            .collect(Collectors.joining(",")));
    assertThat(read(Parameters.defaults()).get(SettingTable.SFLOW_AGENTS)).isEmpty();
    assertThat(warnings).hasSize(1);
  }

  @Test
  void lawWithoutControllerIsRejectedWithTheReason() {
    properties.put("law", "hygenicc");
    assertThat(read(Parameters.defaults()).get(SettingTable.LAW)).isEqualTo(Law.SLUICE);
    assertThat(warnings).hasSize(1);
    assertThat(warnings.get(0)).contains("law = 'hygenicc'").contains("without a controller");
  }

  @Test
  void validValuesApplyBesideAnInvalidOne() {
    properties.put("law", "nonsense");
    properties.put("controlPeriodMillis", "50");

    assertThat(read(Parameters.defaults()).get(SettingTable.CONTROL_PERIOD_MILLIS)).isEqualTo(50);
    assertThat(warnings).hasSize(1);
  }
}
