// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.sluice.core.testing.Samples.port;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.sluice.core.spi.PathShare;
import org.sluice.forwarding.spi.Link;

class ShortestPathsTest {
  private static String device(String name) {
    return port(name + "/1").datapath();
  }

  private static Link link(String from, String to) {
    return Link.of(port(from), port(to));
  }

  private static List<Link> both(String... ends) {
    List<Link> links = new ArrayList<>();
    for (int i = 0; i < ends.length; i += 2) {
      links.add(link(ends[i], ends[i + 1]));
      links.add(link(ends[i + 1], ends[i]));
    }
    return links;
  }

  private static PathShare half(String egress) {
    return PathShare.of(port(egress), 0.5);
  }

  /** s1 - {s2, s3} - s4, and a longer way s1 - s5 - s6 - s4. */
  private final ShortestPaths diamond =
      new ShortestPaths(
          both(
              "s1/2", "s2/1", "s1/3", "s3/1", "s2/4", "s4/2", "s3/4", "s4/3", "s1/5", "s5/1",
              "s5/6", "s6/5", "s6/4", "s4/6"),
          List.of());

  @Test
  void pathToTheSameSwitchIsEmpty() {
    assertThat(diamond.distance(device("s1"), device("s1"))).isZero();
    assertThat(diamond.shares(device("s1"), device("s1"))).isEmpty();
  }

  @Test
  void findsExactlyTheShortestNextHops() {
    assertThat(diamond.nextHops(device("s1"), device("s4"))).containsExactly(2L, 3L);
    assertThat(diamond.nextHops(device("s5"), device("s4"))).containsExactly(6L);
  }

  @Test
  void disconnectedSwitchIsUnreachable() {
    assertThat(diamond.distance(device("s1"), device("s9"))).isEqualTo(-1);
    assertThat(diamond.nextHops(device("s1"), device("s9"))).isEmpty();
    assertThat(diamond.shares(device("s9"), device("s1"))).isEmpty();
  }

  @Test
  void directionsAreIndependent() {
    ShortestPaths oneWay = new ShortestPaths(List.of(link("s1/2", "s2/1")), List.of());

    assertThat(oneWay.distance(device("s1"), device("s2"))).isEqualTo(1);
    assertThat(oneWay.distance(device("s2"), device("s1"))).isEqualTo(-1);
  }

  @Test
  void parallelLinksShareEvenly() {
    ShortestPaths parallel = new ShortestPaths(both("s1/2", "s2/1", "s1/3", "s2/2"), List.of());

    assertThat(parallel.shares(device("s1"), device("s2")))
        .containsExactly(half("s1/2"), half("s1/3"));
  }

  @Test
  void sharesAreOrderedFromUpstreamAndMergeDownstream() {
    assertThat(diamond.shares(device("s1"), device("s4")))
        .containsExactly(half("s1/2"), half("s1/3"), half("s2/4"), half("s3/4"));
  }

  /** Whatever the topology: what leaves the first switch arrives, and no port is named twice. */
  @Property(tries = 200)
  void sharesOfEachHopSumToOne(
      @ForAll @Size(max = 24) List<@IntRange(min = 0, max = 35) Integer> edges) {
    List<Link> links = new ArrayList<>();
    for (int i = 0; i < edges.size(); i++) {
      String a = "s" + (edges.get(i) / 6 + 1) + "/" + (100 + i);
      String b = "s" + (edges.get(i) % 6 + 1) + "/" + (200 + i);
      links.addAll(both(a, b));
    }
    ShortestPaths paths = new ShortestPaths(links, List.of());
    String from = device("s1");
    String to = device("s6");
    int distance = paths.distance(from, to);

    List<PathShare> shares = paths.shares(from, to);

    Map<Integer, Double> byDistance = new TreeMap<>();
    for (PathShare share : shares) {
      byDistance.merge(
          paths.distance(share.egress().datapath(), to), share.fraction(), Double::sum);
    }
    assertThat(byDistance).hasSize(Math.max(0, distance));
    byDistance.values().forEach(sum -> assertThat(sum).isCloseTo(1, within(1e-9)));
    assertThat(shares).extracting(PathShare::egress).doesNotHaveDuplicates();
  }

  @Test
  void uncertainLinkIsUsedWithoutAlternative() {
    ShortestPaths row = new ShortestPaths(both("s1/2", "s2/1"), both("s2/3", "s3/2"));

    assertThat(row.nextHops(device("s1"), device("s3"))).containsExactly(2L);
    assertThat(row.nextHops(device("s2"), device("s3"))).containsExactly(3L);
    assertThat(row.shares(device("s1"), device("s3"))).hasSize(2);
  }

  /** s1 - s2 - s3 - s4, and s1 - s5 - s4, of which s5 is away. */
  @Test
  void longerPathIsPreferredToAnUncertainOne() {
    ShortestPaths ring =
        new ShortestPaths(
            both("s1/2", "s2/1", "s2/3", "s3/2", "s3/4", "s4/3"),
            both("s1/5", "s5/1", "s5/4", "s4/5"));

    assertThat(ring.nextHops(device("s1"), device("s4"))).containsExactly(2L);
    assertThat(ring.distance(device("s1"), device("s4"))).isEqualTo(3);
    assertThat(ring.nextHops(device("s5"), device("s4"))).containsExactly(4L);
    assertThat(ring.nextHops(device("s1"), device("s5"))).containsExactly(5L);
  }

  @Property
  void uncertainLinksCauseNoLoop(
      @ForAll @Size(max = 12) List<@IntRange(min = 0, max = 5) Integer> certain,
      @ForAll @Size(max = 12) List<@IntRange(min = 0, max = 5) Integer> uncertain) {
    ShortestPaths paths = new ShortestPaths(links(certain, 10), links(uncertain, 50));
    for (int from = 0; from < 6; from++) {
      for (int to = 0; to < 6; to++) {
        double arrived =
            paths.shares(device("s" + from), device("s" + to)).stream()
                .mapToDouble(PathShare::fraction)
                .max()
                .orElse(1);
        assertThat(arrived).isBetween(0.0, 1.0 + 1e-9);
      }
    }
  }

  private static List<Link> links(List<Integer> ends, int firstPort) {
    List<Link> links = new ArrayList<>();
    for (int i = 0; i + 1 < ends.size(); i += 2) {
      int a = ends.get(i);
      int b = ends.get(i + 1);
      if (a != b) {
        links.addAll(both("s" + a + "/" + (firstPort + i), "s" + b + "/" + (firstPort + i + 1)));
      }
    }
    return links;
  }
}
