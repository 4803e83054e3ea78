// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.openflow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.IpAddress;
import org.sluice.core.journal.NodeJournal;
import org.sluice.core.setting.Settings;
import org.sluice.core.spi.CapMeter;
import org.sluice.core.testing.Samples;
import org.sluice.core.testing.VirtualTime;
import org.sluice.forwarding.ForwardingPlane;
import org.sluice.forwarding.spi.ForwardingPlatform;
import org.sluice.forwarding.spi.RuleTable;
import org.sluice.forwarding.testing.MemoryFabric;

/** Forwarding as it is, on these tables and switches in memory. */
class ForwardingOnTablesTest {
  private static final String S1 = Samples.datapath("s1");

  private final MemoryFabric fabric = new MemoryFabric();
  private final VirtualTime time = fabric.time;
  private final FakeSwitches switches = new FakeSwitches(time);
  private final FakeSwitches.One s1 = switches.get("s1");
  private final Map<String, Object> properties = new HashMap<>();
  private Settings settings;
  private SwitchTables tables;
  private ForwardingPlane plane;

  @BeforeEach
  void build() {
    fabric.connect("s1", 1, 2, 5, 6);
    fabric.connect("s2", 1, 2, 5, 6);
    fabric.link("s1/5", "s2/5");
    start();
    pass(5000);
    for (String ip : List.of("10.0.0.2", "fd00::2")) {
      plane.attachments().learn(IpAddress.parse(ip), Samples.port("s2/1"));
    }
    plane.attachments().learn(IpAddress.parse("10.0.0.1"), Samples.port("s1/1"));
    pass(5000);
  }

  private void start() {
    settings = new Settings(refusal -> {});
    settings.read(properties::get);
    tables = new SwitchTables(switches.mdsal, fabric.switches(), fabric, fabric, time);
    tables.start();
    plane = new ForwardingPlane(platform(), settings, new NodeJournal(time.clock()), time);
    plane.start();
  }

  private ForwardingPlatform platform() {
    Map<String, Object> ours =
        Map.of("rules", tables.rules(), "meters", tables.meters(), "groups", tables.groups());
    return OdlFabric.platform(ours, fabric);
  }

  private void set(String name, Object value) {
    properties.put(name, value);
    settings.read(properties::get);
  }

  private void pass(long millis) {
    time.advanceMillis(millis);
  }

  private static Set<String> rules(FakeSwitches.One one) {
    Set<String> all = new TreeSet<>();
    one.flows
        .values()
        .forEach(
            flow ->
                all.add(
                    flow.getTableId()
                        + "/"
                        + flow.getPriority()
                        + " "
                        + FlowReader.match(flow.getMatch()).orElseThrow()
                        + " "
                        + FlowReader.treatment(flow.getInstructions()).orElseThrow()));
    return all;
  }

  @Test
  void whatStandsIsNotSentAgain() {
    assertThat(rules(s1)).hasSizeGreaterThan(8);
    assertThat(s1.meters).hasSize(1);
    assertThat(tables.rules().entries(S1))
        .extracting(RuleTable.Entry::state)
        .containsOnly(RuleTable.State.CONFIRMED);
    Set<String> before = rules(s1);
    s1.added.clear();
    pass(120_000);

    assertThat(s1.added).isEmpty();
    assertThat(rules(s1)).isEqualTo(before);
  }

  @Test
  void anEmptiedSwitchHasAllAgain() {
    Set<String> before = rules(s1);
    switches.disconnect("s1");
    fabric.disconnect("s1");
    s1.empty();
    pass(3000);
    switches.connect("s1");
    fabric.connect("s1");
    pass(5000);

    assertThat(rules(s1)).isEqualTo(before);
  }

  @Test
  void anotherLifeGoesOnWithWhatStands() {
    Set<String> before = rules(s1);
    Set<Long> meters = Set.copyOf(s1.meters.keySet());
    plane.stop();
    tables.stop();
    s1.added.clear();
    pass(5000);
    start();
    pass(120_000);

    assertThat(rules(s1)).isEqualTo(before);
    assertThat(s1.meters.keySet()).isEqualTo(meters);
    assertThat(s1.calls.get("RemoveMeterInput")).isNull();
  }

  @Test
  void rulesOfHostsThatNobodyHasSeenSinceTheRestartStay() {
    Set<String> before = rules(s1);
    plane.stop();
    tables.stop();
    fabric.forgetAttachments();
    start();
    pass(20_000);

    assertThat(rules(s1)).isEqualTo(before);
  }

  @Test
  void nothingIsLeftAfterTheEnd() {
    set("spreading", "flows");
    fabric.link("s1/6", "s2/6");
    pass(10_000);
    assertThat(s1.groups).hasSize(1);
    assertThat(rules(s1)).anyMatch(rule -> rule.contains("group=OptionalLong["));
    settings.withdraw();
    plane.stop();
    tables.stop();

    assertThat(s1.flows).isEmpty();
    assertThat(s1.meters).isEmpty();
    assertThat(s1.groups).isEmpty();
    assertThat(switches.get("s2").flows).isEmpty();
  }

  @Test
  void capsHoldWithOpenDaylightsDefaults() {
    switches.changesMeters = false;
    plane
        .caps()
        .set(
            List.of(
                CapMeter.of(
                    Samples.port("s1/5"),
                    Samples.port("s2/1"),
                    14,
                    Set.of(IpAddress.parse("10.0.0.2")),
                    20_000_000)));
    pass(20_000);

    assertThat(tables.changesRefused()).isTrue();
    long meter =
        tables.rules().entries(S1).stream()
            .filter(entry -> entry.key().orElseThrow().priority() == 110)
            .findFirst()
            .orElseThrow()
            .treatment()
            .orElseThrow()
            .meter()
            .orElseThrow();
    assertThat(s1.meters.get(meter).getMeterBandHeaders().nonnullMeterBandHeader().values())
        .allMatch(band -> band.getBandRate().longValue() == 19_997);
    assertThat(s1.meters).as("that one and the one for marks").hasSize(2);
  }
}
