// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.sluice.sim.event.RandomStreams;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.LinkParameters;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Switch;
import org.sluice.sim.topology.LinkPlan;
import org.sluice.sim.topology.QueueFactory;
import org.sluice.sim.transport.Flow;
import org.sluice.sim.transport.FlowStatistics;

/** Shares worked out by hand, in a row of switches: a -100- b -40- c, all else is 1 Gbit/s. */
class MaxMinSharesTest {
  private static final double ALL = Double.POSITIVE_INFINITY;
  private static final double NONE = 0;
  private static final Window WINDOW = new Window(0, 1_000_000_000L);
  private static final double MBIT = 1e6;

  private final Network network = new Network(new Scheduler(), new RandomStreams(1));
  private final Switch a = network.addSwitch("a");
  private final Switch b = network.addSwitch("b");
  private final Switch c = network.addSwitch("c");
  private final List<TrafficGroup> groups = new ArrayList<>();
  private final MaxMinShares shares = new MaxMinShares(groups);

  MaxMinSharesTest() {
    link(100).connect(network, a, b);
    link(40).connect(network, b, c);
  }

  private static LinkPlan link(long mbits) {
    return LinkPlan.symmetric(
        new LinkParameters(mbits * 1_000_000, 1000, 0), QueueFactory.dropTail(100));
  }

  private Endpoint endpoint(String name, Switch at) {
    return endpoint(name, at, 1000);
  }

  private Endpoint endpoint(String name, Switch at, long nicMbits) {
    Host host = network.addHost(name);
    link(nicMbits).connect(network, host, at);
    return network.addEndpoint(name, host);
  }

  /** A flow that demands so much, Mbit/s, all the time. */
  private void flow(Endpoint from, Endpoint to, double wantedMbits) {
    flow(from, to, wantedMbits, WINDOW);
  }

  private void flow(Endpoint from, Endpoint to, double wantedMbits, Window lasting) {
    groups.add(
        new TrafficGroup(
            "g" + groups.size(),
            List.of(new Stream(from, to)),
            lasting.fromNanos(),
            lasting.toNanos(),
            true,
            wantedMbits * MBIT,
            null,
            null));
  }

  private record Stream(Endpoint source, Endpoint destination) implements Flow {
    @Override
    public String name() {
      return source.name() + ">" + destination.name();
    }

    @Override
    public int pathHash() {
      return 0;
    }

    @Override
    public FlowStatistics statistics() {
      throw new UnsupportedOperationException("nothing is sent");
    }

    @Override
    public void start(long atNanos) {}

    @Override
    public void stop(long atNanos) {}
  }

  private void tenant(
      String name, double weight, double guarantee, double ceiling, Endpoint... members) {
    shares.setDue(name, new MaxMinShares.Due(weight, guarantee * MBIT, ceiling * MBIT));
    for (Endpoint member : members) {
      shares.setTenant(member, name);
    }
  }

  private void expect(Endpoint endpoint, double mbits) {
    network.computeRoutes();
    Map<Endpoint, Double> due = shares.megabits(WINDOW);
    assertThat(due.get(endpoint)).as(endpoint.name()).isCloseTo(mbits, within(1e-3));
  }

  @Test
  void endpointsWithoutATenantShareByWeight() {
    Endpoint one = endpoint("one", a);
    Endpoint three = endpoint("three", a);
    Endpoint to = endpoint("to", b);
    shares.setWeight(three, 3);
    flow(one, to, ALL);
    flow(three, to, ALL);
    expect(one, 25);
    expect(three, 75);
  }

  /** Of 100, 10 are demanded by one; the two others have 45 each. */
  @Test
  void unusedShareGoesToOthers() {
    Endpoint light = endpoint("light", a);
    Endpoint first = endpoint("first", a);
    Endpoint second = endpoint("second", a);
    Endpoint to = endpoint("to", b);
    flow(light, to, 10);
    flow(first, to, ALL);
    flow(second, to, ALL);
    expect(light, 10);
    expect(first, 45);
    expect(second, 45);
  }

  /** A tenant of three has what one of one has; its light endpoint leaves siblings 20 each. */
  @Test
  void unusedShareGoesToTheTenantsOtherEndpointsFirst() {
    Endpoint alone = endpoint("alone", a);
    Endpoint light = endpoint("light", a);
    Endpoint first = endpoint("first", a);
    Endpoint second = endpoint("second", a);
    Endpoint to = endpoint("to", b);
    tenant("one", 1, NONE, ALL, alone);
    tenant("three", 1, NONE, ALL, light, first, second);
    flow(alone, to, ALL);
    flow(light, to, 10);
    flow(first, to, ALL);
    flow(second, to, ALL);
    expect(alone, 50);
    expect(light, 10);
    expect(first, 20);
    expect(second, 20);
  }

  /** Weight 1 of 10 would be 10: the guarantee is 30. The other tenant may have no more than 40. */
  @Test
  void guaranteesAndCeilingsOfTenantsHold() {
    Endpoint guaranteed = endpoint("guaranteed", a);
    Endpoint limited = endpoint("limited", a);
    Endpoint rest = endpoint("rest", a);
    Endpoint to = endpoint("to", b);
    tenant("guaranteed", 1, 30, ALL, guaranteed);
    tenant("limited", 8, NONE, 40, limited);
    tenant("rest", 1, NONE, ALL, rest);
    flow(guaranteed, to, ALL);
    flow(limited, to, ALL);
    flow(rest, to, ALL);
    expect(limited, 40);
    expect(guaranteed, 30);
    expect(rest, 30);
  }

  @Test
  void unusedGuaranteeGoesToOthers() {
    Endpoint guaranteed = endpoint("guaranteed", a);
    Endpoint other = endpoint("other", a);
    Endpoint to = endpoint("to", b);
    shares.setGuarantee(guaranteed, 60 * MBIT);
    flow(guaranteed, to, 5);
    flow(other, to, ALL);
    expect(guaranteed, 5);
    expect(other, 95);
  }

  /** 30 for two greedy pairs: 15 of them behind the port of 40, and 25 for the three others. */
  @Test
  void guaranteeIsDividedAmongPairs() {
    Endpoint guaranteed = endpoint("guaranteed", a);
    Endpoint middle = endpoint("middle", b);
    Endpoint end = endpoint("end", c);
    shares.setGuarantee(guaranteed, 30 * MBIT);
    flow(guaranteed, middle, ALL);
    flow(guaranteed, end, ALL);
    for (int i = 0; i < 3; i++) {
      Endpoint other = endpoint("other" + i, b);
      flow(other, end, ALL);
    }
    expect(guaranteed, 100);
    expect(network.endpoint("other0"), 25 / 3.0);
  }

  /** 60 for two pairs, one of which has the 5 that it wants anyway: 36 of 40 for the other. */
  @Test
  void lightPairLeavesTheGuaranteeToItsSibling() {
    Endpoint guaranteed = endpoint("guaranteed", a);
    Endpoint middle = endpoint("middle", b);
    Endpoint end = endpoint("end", c);
    shares.setGuarantee(guaranteed, 60 * MBIT);
    flow(guaranteed, middle, 5);
    flow(guaranteed, end, ALL);
    for (int i = 0; i < 3; i++) {
      Endpoint other = endpoint("other" + i, b);
      flow(other, end, ALL);
    }
    expect(guaranteed, 41);
    expect(network.endpoint("other0"), 4 / 3.0);
  }

  /** A tenant of 24 whose endpoints want 2 and, by a ceiling, 12: it has 14, not 12 for both. */
  @Test
  void lightPairDoesNotLiveOnTheFloorOfASiblingWithACeiling() {
    Endpoint light = endpoint("light", b);
    Endpoint bounded = endpoint("bounded", b);
    Endpoint end = endpoint("end", c);
    tenant("guaranteed", 1, 24, ALL, light, bounded);
    shares.setCeiling(bounded, 12 * MBIT);
    flow(light, end, 2);
    flow(bounded, end, ALL);
    for (int i = 0; i < 4; i++) {
      flow(endpoint("other" + i, b), end, ALL);
    }
    expect(light, 2);
    expect(bounded, 12);
    expect(network.endpoint("other0"), 6.5);
  }

  /**
   * A tenant of 24 with two greedy endpoints behind the second port, weights 1 and 3, and one of 4
   * before it: 6 and 18, beside 16 for a tenant of weight 9.
   */
  @Test
  void tenantsGuaranteeGoesByWeightToThoseWhoWantIt() {
    Endpoint first = endpoint("first", a);
    Endpoint heavy = endpoint("heavy", b);
    Endpoint light = endpoint("light", a);
    Endpoint other = endpoint("other", b);
    Endpoint middle = endpoint("middle", b);
    Endpoint end = endpoint("end", c);
    tenant("guaranteed", 1, 24, ALL, first, heavy, light);
    tenant("other", 9, NONE, ALL, other);
    shares.setWeight(heavy, 3);
    flow(first, end, ALL);
    flow(heavy, end, ALL);
    flow(light, middle, 4);
    flow(other, end, ALL);
    expect(first, 6);
    expect(heavy, 18);
    expect(light, 4);
    expect(other, 16);
  }

  /**
   * A pair that would have less than it demands at a port of its own draws on the guarantee, too:
   * of 20 it takes its 4, the greedy one elsewhere 16.
   */
  @Test
  void pairThatNeedsTheGuaranteeHasItsDemandFirst() {
    Endpoint small = endpoint("small", b);
    Endpoint greedy = endpoint("greedy", a);
    Endpoint crowd = endpoint("crowd", b);
    Endpoint rival = endpoint("rival", a);
    Endpoint middle = endpoint("middle", b);
    Endpoint end = endpoint("end", c);
    tenant("guaranteed", 1, 20, ALL, small, greedy);
    tenant("crowd", 39, NONE, ALL, crowd);
    tenant("rival", 99, NONE, ALL, rival);
    flow(small, end, 4);
    flow(crowd, end, ALL);
    flow(greedy, middle, ALL);
    flow(rival, middle, ALL);
    expect(small, 4);
    expect(crowd, 36);
    expect(greedy, 16);
    expect(rival, 84);
  }

  /** 30 at most of all that a tenant's endpoints send, through whatever ports: 10 and 20. */
  @Test
  void tenantsCeilingIsForAllItsEndpointsTogether() {
    Endpoint first = endpoint("first", a);
    Endpoint second = endpoint("second", b);
    Endpoint other = endpoint("other", a);
    Endpoint middle = endpoint("middle", b);
    Endpoint end = endpoint("end", c);
    tenant("held", 1, NONE, 30, first, second);
    shares.setWeight(second, 2);
    flow(first, middle, ALL);
    flow(second, end, ALL);
    flow(other, middle, ALL);
    expect(first, 10);
    expect(second, 20);
    expect(other, 90);
  }

  /** Half of the time alone with 100, half of it beside two who want 80 each: a third of it. */
  @Test
  void turnsCountByWhatWouldBeSentInThem() {
    Endpoint greedy = endpoint("greedy", a);
    Endpoint first = endpoint("first", a);
    Endpoint second = endpoint("second", a);
    Endpoint to = endpoint("to", b);
    flow(greedy, to, ALL);
    long second1 = WINDOW.toNanos();
    for (Endpoint each : List.of(first, second)) {
      groups.add(
          new TrafficGroup(
              each.name(),
              List.of(new Stream(each, to)),
              0,
              Long.MAX_VALUE,
              false,
              40 * MBIT,
              new TrafficGroup.Turns(second1 / 20, second1 / 20),
              null));
    }
    expect(greedy, 200 / 3.0);
    expect(first, 50 / 3.0);
    expect(second, 50 / 3.0);
  }

  /** As two groups of which one sends in the first, the other in the second half. */
  @Test
  void groupsThatComeAndGoCountAsLongAsTheySend() {
    Endpoint greedy = endpoint("greedy", a);
    Endpoint first = endpoint("first", a);
    Endpoint to = endpoint("to", b);
    flow(greedy, to, ALL);
    flow(first, to, ALL, new Window(WINDOW.toNanos() / 2, Long.MAX_VALUE));
    expect(greedy, 75);
    expect(first, 25);
  }

  /** Of what the sender is guaranteed 12 can arrive: its receiver's 24 are two senders'. */
  @Test
  void receiversGuaranteeBoundsItsSenders() {
    Endpoint guaranteed = endpoint("guaranteed", b);
    Endpoint to = endpoint("to", c);
    shares.setGuarantee(guaranteed, 30 * MBIT);
    tenant("receiver", 1, 24, ALL, to);
    flow(guaranteed, to, ALL);
    for (int i = 0; i < 7; i++) {
      flow(endpoint("other" + i, b), i == 0 ? to : endpoint("end" + i, c), ALL);
    }
    expect(guaranteed, 12);
    expect(network.endpoint("other0"), 4);
  }

  /** 80 and 40 are guaranteed of 100: 60 and 30, and a tenth for the third. */
  @Test
  void guaranteesBeyondThePortLeaveATenthToOthers() {
    Endpoint first = endpoint("first", a);
    Endpoint second = endpoint("second", a);
    Endpoint third = endpoint("third", a);
    Endpoint to = endpoint("to", b);
    tenant("first", 1, 80, ALL, first);
    tenant("second", 1, 40, ALL, second);
    flow(first, to, ALL);
    flow(second, to, ALL);
    flow(third, to, ALL);
    expect(first, 60);
    expect(second, 30);
    expect(third, 10);
  }

  /** Floors of 30 and 60 under the tenant's ceiling of 45: half of each. */
  @Test
  void guaranteesWithinATenantFitIntoItsCeiling() {
    Endpoint first = endpoint("first", a);
    Endpoint second = endpoint("second", a);
    Endpoint other = endpoint("other", a);
    Endpoint to = endpoint("to", b);
    tenant("held", 9, NONE, 45, first, second);
    shares.setGuarantee(first, 30 * MBIT);
    shares.setGuarantee(second, 60 * MBIT);
    flow(first, to, ALL);
    flow(second, to, ALL);
    flow(other, to, ALL);
    expect(first, 15);
    expect(second, 30);
    expect(other, 55);
  }

  @Test
  void endpointIsBoundedByCeilingAndNic() {
    Endpoint limited = endpoint("limited", a);
    Endpoint slow = endpoint("slow", a, 15);
    Endpoint other = endpoint("other", a);
    Endpoint to = endpoint("to", b);
    shares.setCeiling(limited, 20 * MBIT);
    flow(limited, to, ALL);
    flow(slow, to, ALL);
    flow(other, to, ALL);
    expect(limited, 20);
    expect(slow, 15);
    expect(other, 65);
  }

  /**
   * A tenant may have 44 at each of three ports. Of one that it crosses with three endpoints one
   * takes 8.8 at most, its part beside a sibling of weight 4 elsewhere; the two others have 17.6,
   * and the ports behind, which bound the tenant alike, leave it to them.
   */
  @Test
  void portsThatBoundATenantEquallyDoNotBoundEachOther() {
    Endpoint first = endpoint("first", a);
    Endpoint second = endpoint("second", a);
    Endpoint third = endpoint("third", a);
    Endpoint sibling = endpoint("sibling", b);
    Endpoint heavy = endpoint("heavy", b);
    Endpoint middle = endpoint("middle", b);
    Endpoint toBoth = endpoint("both", b, 44);
    Endpoint end = endpoint("end", b, 44);
    Endpoint rival = endpoint("rival", a);
    tenant("held", 44, NONE, ALL, first, second, third, sibling, heavy);
    shares.setWeight(rival, 56);
    shares.setWeight(heavy, 4);
    flow(rival, endpoint("rest", b), ALL);
    flow(first, toBoth, ALL);
    flow(sibling, toBoth, ALL);
    flow(second, end, ALL);
    flow(heavy, end, ALL);
    flow(third, middle, ALL);
    expect(second, 8.8);
    expect(first, 17.6);
    expect(third, 17.6);
    expect(sibling, 26.4);
    expect(heavy, 35.2);
  }

  /** Parking lot: 20 of the second port's 40 for the long one, so 80 of the first for the other. */
  @Test
  void capacityUnusedBecauseOfAnotherPortIsShared() {
    Endpoint along = endpoint("long", a);
    Endpoint first = endpoint("first", a);
    Endpoint second = endpoint("second", b);
    Endpoint middle = endpoint("middle", b);
    Endpoint end = endpoint("end", c);
    flow(along, end, ALL);
    flow(first, middle, ALL);
    flow(second, end, ALL);
    expect(along, 20);
    expect(first, 80);
    expect(second, 20);
  }

  /** The endpoint's part of the first port is 50; its flow beyond may have 20 of that. */
  @Test
  void endpointShareIsDividedAmongItsFlows() {
    Endpoint both = endpoint("both", a);
    Endpoint first = endpoint("first", a);
    Endpoint second = endpoint("second", b);
    Endpoint middle = endpoint("middle", b);
    Endpoint end = endpoint("end", c);
    flow(both, end, ALL);
    flow(both, middle, ALL);
    flow(first, middle, ALL);
    flow(second, end, ALL);
    expect(both, 50);
    expect(first, 50);
    expect(second, 20);
  }

  /** Tenants at both ports: the long one's siblings take at the first what it cannot use. */
  @Test
  void tenantsCountAtAPortByTheirEndpointsThatCrossIt() {
    Endpoint along = endpoint("long", a);
    Endpoint sibling = endpoint("sibling", a);
    Endpoint other = endpoint("other", a);
    Endpoint second = endpoint("second", b);
    Endpoint middle = endpoint("middle", b);
    Endpoint end = endpoint("end", c);
    tenant("two", 1, NONE, ALL, along, sibling);
    tenant("one", 1, NONE, ALL, other);
    tenant("second", 3, NONE, ALL, second);
    flow(along, end, ALL);
    flow(sibling, middle, ALL);
    flow(other, middle, ALL);
    flow(second, end, ALL);
    expect(along, 10); // 1 of 4 parts of 40
    expect(second, 30);
    expect(sibling, 40); // 50 - 10
    expect(other, 50);
  }

  /** Who has stopped before the window, or begins after it, has no share. */
  @Test
  void onlyActiveSendersCount() {
    Endpoint now = endpoint("now", a);
    Endpoint later = endpoint("later", a);
    Endpoint to = endpoint("to", b);
    flow(now, to, ALL);
    flow(later, to, ALL, new Window(WINDOW.toNanos(), Long.MAX_VALUE));
    expect(now, 100);
    assertThat(shares.megabits(WINDOW)).doesNotContainKey(later);
  }
}
