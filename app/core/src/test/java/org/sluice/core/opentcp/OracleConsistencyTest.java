// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.opentcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.opentcp.HintedNetwork.HOSTS;
import static org.sluice.core.opentcp.HintedNetwork.PORTS;
import static org.sluice.core.opentcp.HintedNetwork.set;

import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.sluice.api.HostId;
import org.sluice.api.SluiceException;
import org.sluice.api.link.TcpHints;
import org.sluice.api.policy.GroupHint;
import org.sluice.api.policy.Limits;
import org.sluice.api.policy.Policy;
import org.sluice.api.policy.Policy.Links;
import org.sluice.api.policy.Policy.Scope;
import org.sluice.api.policy.PrefixHint;
import org.sluice.api.policy.TcpHint;

/** Whatever happens, in whatever order: hosts have the hints that the state shows. */
class OracleConsistencyTest {
  private static final int STEPS = 30;

  private static Policy.Builder anyPolicy(SplittableRandom random, int number) {
    Limits limits = Limits.of(0.7, 0.001);
    return Policy.builder("p" + number)
        .enterBelow(limits)
        .leaveAt(limits)
        .scope(Scope.values()[random.nextInt(3)])
        .links(Links.values()[random.nextInt(3)])
        .leastCycles(1 + random.nextInt(2))
        .hint(TcpHint.builder().initialWindowSegments(11 + random.nextInt(20)).build());
  }

  private static void disturb(HintedNetwork it, SplittableRandom random) throws SluiceException {
    HostId host = HOSTS.get(random.nextInt(HOSTS.size()));
    String port = PORTS.get(random.nextInt(PORTS.size()));
    switch (random.nextInt(9)) {
      case 0:
        it.policies().apply(set(anyPolicy(random, 1), anyPolicy(random, 2)), "olga");
        break;
      case 1:
        it.policies().rollBack(it.policies().history().isEmpty() ? 0 : 1, "olga");
        break;
      case 2:
        it.policies().rollBack(0, "olga");
        break;
      case 3:
        it.node().link.disconnect(host);
        forget(it, host);
        break;
      case 4:
        forget(it, host);
        it.node().link.connect(HintedNetwork.helloOf(1 + HOSTS.indexOf(host)));
        break;
      case 5:
        it.network.setCapacity(port, 500_000_000L + random.nextInt(2) * 500_000_000L);
        break;
      case 6:
        it.unread.clear();
        it.unread.addAll(random.nextInt(3) == 0 ? List.of(port) : List.of());
        break;
      default:
        it.loads.put(port, random.nextInt(3) == 0 ? 0.9 : 0.1);
    }
    it.seconds(1 + random.nextInt(7));
  }

  /** Hints end with the session. */
  private static void forget(HintedNetwork it, HostId host) {
    it.node().link.sent.removeIf(each -> each.host.equals(host));
  }

  @Property(tries = 15)
  void sentHintsMatchTheState(@ForAll long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    HintedNetwork it = new HintedNetwork("n1");
    for (int step = 0; step < STEPS; step++) {
      disturb(it, random);
      it.network.time.advanceMillis(200);
      check(it);
    }
    it.policies().rollBack(0, "olga");
    it.network.time.advanceMillis(10);
    check(it);
  }

  private static void check(HintedNetwork it) throws SluiceException {
    List<GroupHint> stated = it.policies().state().map(state -> state.hints()).orElse(List.of());
    Map<String, String> groups = Map.of("h1", "1", "h2", "1", "h3", "3", "h4", "2");
    for (HostId host : HOSTS) {
      if (!it.node().link.connectedHosts().contains(host)) {
        continue;
      }
      String group = "of:000000000000000" + groups.get(host.toString());
      Map<String, TcpHint> expected = new TreeMap<>();
      for (GroupHint hint : stated) {
        if (hint.source().equals(group)) {
          expected.put(hint.destination(), hint.hint());
        }
      }
      List<PrefixHint> sent = it.last(host).map(TcpHints::hints).orElse(List.of());
      assertThat(
              new TreeSet<>(
                  sent.stream().map(OracleConsistencyTest::key).collect(Collectors.toSet())))
          .as("%s", host)
          .isEqualTo(
              new TreeSet<>(
                  expected.entrySet().stream()
                      .filter(hint -> hint.getKey().isEmpty() || isReported(it, hint.getKey()))
                      .map(hint -> hint.getKey() + "=" + hint.getValue())
                      .collect(Collectors.toSet())));
    }
  }

  /** Of hosts that are away no address may be known. */
  private static boolean isReported(HintedNetwork it, String group) {
    return it.node().controller().endpoints().endpoints().stream()
        .anyMatch(
            endpoint ->
                endpoint.ips().stream().anyMatch(ip -> groupOf(ip.toString()).equals(group)));
  }

  private static String groupOf(String ip) {
    return "of:000000000000000" + ip.split("\\.")[2];
  }

  private static String key(PrefixHint hint) {
    return (hint.destinations().isEmpty()
            ? ""
            : groupOf(hint.destinations().get(0).address().toString()))
        + "="
        + hint.hint();
  }
}
