// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.openflow;

import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.service.rev130819.AddFlowInputBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.rev131026.FlowCookie;
import org.opendaylight.yangtools.yang.common.Uint16;
import org.opendaylight.yangtools.yang.common.Uint64;
import org.opendaylight.yangtools.yang.common.Uint8;
import org.sluice.api.IpAddress;
import org.sluice.core.testing.Samples;
import org.sluice.core.testing.VirtualTime;
import org.sluice.forwarding.pipeline.CeMeters;
import org.sluice.forwarding.spi.Group;
import org.sluice.forwarding.spi.Match;
import org.sluice.forwarding.spi.Meter;
import org.sluice.forwarding.spi.Rule;
import org.sluice.forwarding.spi.RuleTable;
import org.sluice.forwarding.spi.RuleTable.State;
import org.sluice.forwarding.spi.Treatment;
import org.sluice.forwarding.testing.MemoryFabric;

class SwitchTablesTest {
  private static final String S1 = Samples.datapath("s1");
  private static final long AUDIT_MILLIS = SwitchTables.AUDIT_NANOS / 1_000_000;

  private final MemoryFabric fabric = new MemoryFabric();
  private final VirtualTime time = fabric.time;
  private final FakeSwitches switches = new FakeSwitches(time);
  private final FakeSwitches.One s1 = switches.get("s1");
  private SwitchTables tables = tables();
  private RuleTable rules = tables.rules();
  private final List<String> meterRefusals = new ArrayList<>();

  private SwitchTables tables() {
    return new SwitchTables(switches.mdsal, fabric.switches(), fabric, fabric, time);
  }

  @BeforeEach
  void connect() {
    fabric.connect("s1", 1, 2, 3);
    fabric.connect("s2", 1, 2, 3);
    tables.start();
    pass(100);
  }

  private void pass(long millis) {
    time.advanceMillis(millis);
  }

  private void reconnect(boolean isEmptied) {
    disconnect();
    if (isEmptied) {
      s1.empty();
    }
    s1.added.clear();
    switches.connect("s1");
    fabric.connect("s1");
    pass(100);
  }

  private void disconnect() {
    switches.disconnect("s1");
    fabric.disconnect("s1");
    pass(10);
  }

  /** The controller is killed and starts again. */
  private void restart() {
    switches.disconnect("s1");
    switches.disconnect("s2");
    time.advanceMillis(10);
    switches.connect("s1");
    switches.connect("s2");
    tables.stop();
    tables = tables();
    rules = tables.rules();
    tables.start();
    pass(100);
  }

  private static Rule route(String address, Treatment treatment) {
    Match match = Match.builder().ethType(0x0800).ipDst(IpAddress.parse(address)).build();
    return Rule.of(Rule.Key.of(S1, 1, 100, match), treatment);
  }

  private static Rule route(String address) {
    return route(address, Treatment.output(2));
  }

  private List<State> states() {
    return rules.entries(S1).stream().map(RuleTable.Entry::state).collect(toList());
  }

  private List<Treatment> treatmentsOnSwitch() {
    return s1.flows.values().stream()
        .filter(flow -> flow.getTableId().toJava() == 1)
        .map(flow -> FlowReader.treatment(flow.getInstructions()).orElseThrow())
        .collect(toList());
  }

  private Meter meter(long id) {
    return tables.meters().meters(S1).stream()
        .filter(meter -> meter.id() == id)
        .findFirst()
        .orElseThrow();
  }

  private long addMeter(long kilobitsPerSecond) {
    return tables.meters().add(S1, kilobitsPerSecond, 2000, meterRefusals::add);
  }

  @Test
  void rulesAreConfirmedSoonWhateverOpenDaylightsBarriers() {
    rules.apply(List.of(route("10.0.0.1"), route("10.0.0.2")), List.of());
    assertThat(states()).containsOnly(State.SENT);
    pass(10);

    assertThat(states()).containsExactly(State.CONFIRMED, State.CONFIRMED);
    assertThat(treatmentsOnSwitch()).hasSize(2);
  }

  @Test
  void manyRulesAreUnderWayAtOnceAndNotTooMany() {
    List<Rule> many = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      many.add(route("10.0." + i / 250 + "." + (i % 250 + 1)));
    }
    rules.apply(many, List.of());
    pass(100);

    assertThat(states()).hasSize(2000).containsOnly(State.CONFIRMED);
    assertThat(s1.mostUnderWay).isBetween(200, SendWindow.MOST_UNDER_WAY);
    assertThat(s1.calls.get("SendBarrierInput")).isLessThan(40);
  }

  @Test
  void aRuleTakesThePlaceOfOneWithTheSameKey() {
    switches.reorders = true;
    rules.apply(List.of(route("10.0.0.1", Treatment.output(1))), List.of());
    rules.apply(List.of(route("10.0.0.1", Treatment.output(3))), List.of());
    pass(10);

    assertThat(states()).containsExactly(State.CONFIRMED);
    assertThat(rules.entries(S1).iterator().next().treatment()).contains(Treatment.output(3));
    assertThat(treatmentsOnSwitch()).containsExactly(Treatment.output(3));
  }

  @Test
  void aRefusedRuleIsKnown() {
    rules.apply(
        List.of(route("10.0.0.1", Treatment.builder().meter(40_001).gotoTable(2).build())),
        List.of());
    pass(10);

    assertThat(states()).containsExactly(State.REFUSED);
    pass(2 * AUDIT_MILLIS);
    assertThat(treatmentsOnSwitch()).isEmpty();
  }

  @Test
  void rulesAreTakenBackAndNotOthersRules() {
    rules.apply(List.of(route("10.0.0.1"), route("10.0.0.2")), List.of());
    pass(10);
    FakeSwitches.put(
        s1,
        new AddFlowInputBuilder()
            .setTableId(Uint8.ONE)
            .setPriority(Uint16.valueOf(100))
            .setMatch(FlowWriter.match(route("10.0.0.3").key()))
            .build(),
        new FlowCookie(Uint64.valueOf(1)),
        FlowWriter.instructions(Treatment.output(1)));
    CompletableFuture<Boolean> unknown = rules.removeUnknown(List.of(route("10.0.0.3")));
    rules.apply(List.of(), rules.entries(S1));
    assertThat(states()).containsOnly(State.LEAVING);
    pass(10);

    assertThat(unknown).isCompletedWithValue(true);
    assertThat(rules.entries(S1)).isEmpty();
    assertThat(treatmentsOnSwitch()).containsExactly(Treatment.output(1));
  }

  @Test
  void anEmptiedSwitchHasAllAgainInOrderWithoutAWord() {
    long meter = addMeter(CeMeters.RATE_KILOBITS_PER_SECOND);
    tables.groups().add(S1, "pair", List.of(1L, 2L));
    pass(10);
    long group = tables.groups().group(S1, "pair").orElseThrow().id();
    rules.apply(
        List.of(
            route("10.0.0.1", Treatment.builder().meter(meter).gotoTable(2).build()),
            route("10.0.0.2", Treatment.builder().group(group).build())),
        List.of());
    pass(10);
    reconnect(true);

    assertThat(states()).containsExactly(State.CONFIRMED, State.CONFIRMED);
    assertThat(meter(meter).isConfirmed()).isTrue();
    assertThat(s1.groups.get(group).getBuckets().nonnullBucket()).hasSize(2);
    assertThat(s1.added).containsExactly("group", "meter", "flow", "flow", "flow");
  }

  @Test
  void whatIsSentWhileASwitchIsReadComesAfterWhatItNeeds() {
    long meter = addMeter(5000);
    pass(10);
    disconnect();
    s1.empty();
    switches.connect("s1");
    fabric.connect("s1");
    rules.apply(
        List.of(route("10.0.0.1", Treatment.builder().meter(meter).gotoTable(2).build())),
        List.of());
    pass(100);

    assertThat(states()).containsExactly(State.CONFIRMED);
  }

  @Test
  void aMeterIsDoubtedUntilItsSwitchWasRead() {
    long meter = addMeter(5000);
    pass(10);
    assertThat(meter(meter).isConfirmed()).isTrue();
    disconnect();
    assertThat(meter(meter).isConfirmed()).isFalse();
    switches.connect("s1");
    fabric.connect("s1");
    pass(100);

    assertThat(meter(meter).isConfirmed()).isTrue();
    pass(2000);
    assertThat(meter(meter).lifeSeconds()).isGreaterThan(0);
  }

  @Test
  void anotherLifeKnowsWhatTheOneBeforeLeft() {
    long mark = addMeter(CeMeters.RATE_KILOBITS_PER_SECOND);
    long limit = addMeter(5000);
    tables.groups().add(S1, "pair", List.of(1L, 2L));
    rules.apply(List.of(route("10.0.0.1")), List.of());
    pass(10);
    final long group = tables.groups().group(S1, "pair").orElseThrow().id();
    restart();

    assertThat(states()).containsExactly(State.CONFIRMED);
    RuleTable.Entry entry = rules.entries(S1).iterator().next();
    assertThat(entry.key()).contains(route("10.0.0.1").key());
    assertThat(entry.packets()).isEqualTo(7);
    assertThat(meter(mark).kilobitsPerSecond()).isEqualTo(CeMeters.RATE_KILOBITS_PER_SECOND);
    assertThat(meter(limit).kilobitsPerSecond()).isZero();
    assertThat(addMeter(6000)).isNotIn(mark, limit);
    assertThat(tables.groups().groups(S1)).extracting(Group::id).containsExactly(group);
    assertThat(tables.groups().group(S1, "pair").map(Group::id)).contains(group);
    assertThat(tables.groups().groups(S1)).extracting(Group::name).containsExactly("pair");
  }

  @Test
  void aGroupThatNobodyKnowsIsTakenBackByTheNameItIsListedWith() {
    tables.groups().add(S1, "pair", List.of(1L, 2L));
    pass(10);
    restart();
    Group unknown = tables.groups().groups(S1).iterator().next();
    tables.groups().remove(S1, unknown.name());
    pass(10);

    assertThat(s1.groups).isEmpty();
    assertThat(tables.groups().groups(S1)).isEmpty();
  }

  @Test
  void aSwitchThatLosesSomethingMeanwhileHasItAgain() {
    long meter = addMeter(5000);
    pass(10);
    rules.apply(
        List.of(route("10.0.0.1", Treatment.builder().meter(meter).gotoTable(2).build())),
        List.of());
    pass(10);
    s1.empty();
    pass(2 * AUDIT_MILLIS);

    assertThat(s1.meters).containsKey(meter);
    assertThat(treatmentsOnSwitch()).hasSize(1);
    assertThat(states()).containsExactly(State.CONFIRMED);
  }

  @Test
  void whatHappensWhileASwitchIsReadIsNotUndone() {
    for (int round = 0; round < 40; round++) {
      pass(AUDIT_MILLIS / 2 - 10);
      for (int millis = 0; millis < 20; millis++) {
        rules.apply(List.of(route("10.0.0." + (millis + 1))), List.of());
        pass(1);
        Collection<? extends RuleTable.Entry> old = rules.entries(S1);
        rules.apply(
            List.of(), old.stream().filter(e -> e.state() == State.CONFIRMED).collect(toList()));
      }
    }
    pass(100);
    rules.apply(List.of(), rules.entries(S1));
    pass(10);

    assertThat(rules.entries(S1)).isEmpty();
    assertThat(treatmentsOnSwitch()).isEmpty();
  }

  @Test
  void aSwitchThatDoesNotAnswerDelaysNoOther() {
    s1.answers = false;
    rules.apply(List.of(route("10.0.0.1")), List.of());
    Rule elsewhere =
        Rule.of(
            Rule.Key.of(Samples.datapath("s2"), 1, 100, route("10.0.0.1").match()),
            Treatment.output(1));
    rules.apply(List.of(elsewhere), List.of());
    pass(10);
    assertThat(rules.entries(Samples.datapath("s2")))
        .extracting(RuleTable.Entry::state)
        .containsExactly(State.CONFIRMED);
    assertThat(states()).containsExactly(State.SENT);

    pass(2 * AUDIT_MILLIS);
    assertThat(states()).containsExactly(State.SENT);
    s1.answers = true;
    pass(2 * AUDIT_MILLIS);
    assertThat(states()).containsExactly(State.CONFIRMED);
    assertThat(treatmentsOnSwitch()).hasSize(1);
  }

  @Test
  void rulesOfASwitchThatIsAwayGoWhenItReturns() {
    rules.apply(List.of(route("10.0.0.1")), List.of());
    pass(10);
    disconnect();
    rules.removeAll();
    pass(1000);
    assertThat(states()).containsExactly(State.LEAVING);
    reconnect(false);

    assertThat(treatmentsOnSwitch()).isEmpty();
    assertThat(rules.entries(S1)).isEmpty();
  }

  @Test
  void anotherMasterKnowsWhatTheOneBeforeMade() {
    rules.apply(List.of(route("10.0.0.1")), List.of());
    pass(10);
    fabric.loseMastership("s1");
    pass(100);
    assertThat(rules.entries(S1)).isEmpty();
    assertThat(treatmentsOnSwitch()).hasSize(1);
    fabric.gainMastership("s1");
    pass(100);

    assertThat(states()).containsExactly(State.CONFIRMED);
  }

  @Test
  void refusedMeterIsGoneAndSaysWhy() {
    s1.meterSpace = 0;
    addMeter(5000);
    pass(10);

    assertThat(meterRefusals).hasSize(1);
    assertThat(meterRefusals.get(0)).contains("OUTOFMETERS");
    assertThat(tables.meters().meters(S1)).isEmpty();
  }

  @Test
  void aMeterChangesWhereItIs() {
    long meter = addMeter(5000);
    pass(10);
    List<Long> refused = new ArrayList<>();
    tables.meters().setRefusalListener((datapath, id) -> refused.add(id));
    assertThat(tables.meters().change(S1, meter, 7000, 2000)).isTrue();
    pass(10);
    assertThat(s1.meters.get(meter).getMeterBandHeaders().nonnullMeterBandHeader().values())
        .allMatch(band -> band.getBandRate().longValue() == 7000);
    assertThat(meter(meter).kilobitsPerSecond()).isEqualTo(5000);
    assertThat(tables.changesRefused()).isFalse();

    switches.changesMeters = false;
    tables.meters().change(S1, meter, 8000, 2000);
    pass(10);
    assertThat(refused).containsExactly(meter);
    assertThat(tables.changesRefused()).isTrue();

    disconnect();
    assertThat(tables.meters().change(S1, meter, 8000, 2000)).isFalse();
  }

  @Test
  void numbersOfOthersMetersAreLeftAlone() {
    long meter = addMeter(5000);
    assertThat(meter).isGreaterThan(32_767);
    pass(10);
    tables.meters().remove(S1, meter);
    pass(10);
    assertThat(s1.meters).isEmpty();
    assertThat(tables.meters().meters(S1)).isEmpty();
  }

  @Test
  void whatTheControllerNeedsToSeeIsPuntedAndListedNowhere() {
    assertThat(s1.flows).hasSize(1);
    OdlPacketIn packets = new OdlPacketIn(switches.mdsal, tables);
    packets.requestArp();
    pass(10);
    assertThat(s1.flows).hasSize(2);
    assertThat(s1.flows.values())
        .allSatisfy(
            flow ->
                assertThat(FlowReader.treatment(flow.getInstructions()))
                    .contains(Treatment.output(Treatment.CONTROLLER)));
    assertThat(rules.entries(S1)).isEmpty();

    rules.removeAll();
    reconnect(true);
    assertThat(s1.flows).hasSize(2);
    packets.cancelArp();
    pass(10);
    assertThat(s1.flows).hasSize(1);
    tables.stop();
    assertThat(s1.flows).isEmpty();
  }

  @Test
  void cookiesNameRules() {
    assertThat(rules.cookie(route("10.0.0.1")))
        .isEqualTo(rules.cookie(route("10.0.0.1", Treatment.DROP)))
        .isNotEqualTo(rules.cookie(route("10.0.0.2")));
    assertThat(rules.cookie(route("10.0.0.1")) >>> 32).isEqualTo(0x51ce0001L);
  }
}
