// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sluice.api.HostId;
import org.sluice.api.PortId;
import org.sluice.core.setting.SettingTable;

/** What an operator may write, and what is said of mistakes. */
class ConfigurationTest {
  @TempDir Path directory;
  private Path file;

  @BeforeEach
  void name() {
    file = directory.resolve("sluiced.yaml");
  }

  private Configuration read(String text) throws IOException, ConfigurationException {
    Files.writeString(file, text);
    return Configuration.read(file);
  }

  @Test
  void nothingHasToBeWritten() throws Exception {
    Configuration read = read("# nothing yet\n");
    assertThat(read.node()).isNotEmpty();
    assertThat(read.listen()).containsExactly(URI.create("http://127.0.0.1:8181"));
    assertThat(read.users()).isEqualTo(directory.resolve("users"));
    assertThat(read.receiversMark()).isTrue();
    assertThat(read.topology()).isEmpty();
    assertThat(read.etcd()).isEmpty();
  }

  @Test
  void everythingMayBeWritten() throws Exception {
    Files.writeString(directory.resolve("web.pem"), "");
    Files.writeString(directory.resolve("web.key"), "");
    Files.writeString(directory.resolve("c.key"), "");
    Configuration read =
        read(
            """
            node: c1
            dataDirectory: data
            web:
              listen: ["https://[::]:8443", "http://127.0.0.1:8181"]
              certificate: web.pem
              key: web.key
            users: /etc/users
            receiversMark: false
            etcd: {endpoints: ["https://10.0.0.9:2379"]}
            settings: {leaseMillis: 4000, caps: sluice, enforcement: off, lossAnswers: true, agentLinkKey: c.key}
            network:
              tenants: [{id: gold, weight: 4, members: [{ipPrefix: 10.1.0.0/16}]}]
              gateways: [10.0.0.1]
            """);
    assertThat(read.dataDirectory()).isEqualTo(directory.resolve("data"));
    assertThat(read.settings())
        .isEqualTo(
            Map.of(
                "leaseMillis", "4000",
                "caps", "sluice",
                "enforcement", "off",
                "lossAnswers", "on",
                "agentLinkKey", directory.resolve("c.key").toString()));
    assertThat(read.network().tenants()).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          nodes: c1|:1: nodes: this key is not known; use one of node, dataDirectory
          node: c 1|:1: node: 'c 1' is not possible; use this node's name
          node: [|:1:
          node: c1\\nnode: c2|:2: node: this key stands here twice; remove one
          web: {listen: [ftp://127.0.0.1:1]}|:1: web.listen.0: 'ftp://127.0.0.1:1' is not possible; use https
          web: {listen: [http://10.0.0.1:80]}|would carry passwords in the clear; use https
          web: {listen: [https://10.0.0.1:80]}|needs a certificate; add web.certificate and web.key
          web: {listen: [http://127.0.0.1:99999]}|has no TCP port; use one up to 65535
          node: c1\\nweb:\\n  certificate: none.pem|:3: web.certificate: 'none.pem' cannot be read; put it there
          etcd: {user: root}|etcd.endpoints: the key is missing; add it: a list of http
          settings: {leasMillis: 5}|settings.leasMillis: there is no such setting; docs/settings.md
          settings: {leaseMillis: 5}|settings.leaseMillis: '5' is not possible; use
          settings: {law: [sluice]}|settings.law: '["sluice"]' is not possible; use a text
          settings: {forwarding: own}|sluiced reaches no switch and forwards nothing; leave it out
          network: {tenants: [{id: gold, weight: 0}]}|network.tenants.0.weight: '0.0': A tenant's weight must lie within bounds; Use a number
          receiversMark: perhaps|'perhaps' is not possible; use true or false
          """)
  void mistakesAreNamedWithLineFieldValueAndRemedy(String text, String complaint) {
    assertThatThrownBy(() -> read(text.replace("\\n", "\n")))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith(file + ":")
        .hasMessageContaining(complaint);
  }

  @Test
  void everyMistakeIsNamed() {
    assertThatThrownBy(() -> read("settings:\n  leaseMillis: 5\n  law: none\n"))
        .isInstanceOfSatisfying(
            ConfigurationException.class, e -> assertThat(e.problems()).hasSize(2));
  }

  @Test
  void everyDefaultCanBeWritten() throws Exception {
    StringBuilder text = new StringBuilder("settings:\n");
    SettingTable.all().stream()
        .filter(setting -> setting != SettingTable.FORWARDING)
        .forEach(
            setting ->
                text.append("  ")
                    .append(setting.name())
                    .append(": \"")
                    .append(setting.write(setting.defaultValue()))
                    .append("\"\n"));
    assertThat(read(text.toString()).settings()).hasSize(SettingTable.all().size() - 1);
  }

  private FabricLayout layout(String text) throws IOException, ConfigurationException {
    Files.writeString(file, text);
    return FabricLayout.read(file);
  }

  @Test
  void topologyIsRead() throws Exception {
    FabricLayout layout =
        layout(
            """
            switches: {leaf1: "of:0000000000000001", spine1: "of:000000000000000a"}
            links: [{ends: [leaf1/9, spine1/1], capacityMbps: 1000.5}]
            hosts: {h1: leaf1/1}
            """);
    PortId up = PortId.of("of:0000000000000001", 9);
    PortId down = PortId.of("of:000000000000000a", 1);
    assertThat(layout.links()).isEqualTo(Map.of(up, down, down, up));
    assertThat(layout.capacitiesBitsPerSecond())
        .isEqualTo(Map.of(up, 1_000_500_000L, down, 1_000_500_000L));
    assertThat(layout.hosts())
        .isEqualTo(Map.of(HostId.of("h1"), PortId.of("of:0000000000000001", 1)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          hosts: {}|switches: the key is missing; add it: switches by name
          switches: {s1: leaf}\\nhosts: {}|switches.s1: 'leaf' is not possible; use a datapath id
          switches: {s1: of:0000000000000001, s2: of:0000000000000001}\\nhosts: {}|it is s1's, too
          switches: {s1: of:0000000000000001}\\nhosts: {h1: s2/1}|:2: hosts.h1: 's2/1': there is no such switch; use one of [s1]
          switches: {s1: of:0000000000000001}\\nhosts: {h1: s1/1, h2: s1/1}|hosts.h2: 's1/1': this port is taken by hosts.h1; give
          switches: {s1: of:0000000000000001}\\nhosts: {h1: s1}|hosts.h1: 's1' is not possible; use SWITCH/PORT
          switches: {s1: of:0000000000000001}\\nhosts: {}\\nlinks: [{ends: [s1/1, s1/2], capacityMbps: 0}]|:3: links.0.capacityMbps: '0' is not possible; use what the link carries
          """)
  void mistakesInTopologiesLikewise(String text, String complaint) {
    assertThatThrownBy(() -> layout(text.replace("\\n", "\n")))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(complaint);
  }
}
