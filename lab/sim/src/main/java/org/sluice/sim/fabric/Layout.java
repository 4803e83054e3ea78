// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.fabric;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.sluice.sim.fabric.Fabric.Cable;
import org.sluice.sim.fabric.Fabric.Shape;

/** Switches and the links between them, and where senders and receivers may be. */
final class Layout {
  private static final double LEAST_MEGABITS = 200;
  private static final double MOST_MEGABITS = 2000;

  /** More than all who send could fill. */
  private static final double FAST_MEGABITS = 40_000;

  final List<String> switches = new ArrayList<>();
  final List<Cable> cables = new ArrayList<>();

  /** Switches with senders. */
  final List<String> edges = new ArrayList<>();

  /** Whether there are several equal paths between edges. */
  boolean hasEqualPaths;

  private final SplittableRandom random;

  private Layout(SplittableRandom random) {
    this.random = random;
  }

  static Layout draw(Shape shape, int tiers, SplittableRandom random) {
    Layout layout = new Layout(random);
    switch (shape) {
      case TREE -> layout.tree(tiers);
      case LEAF_SPINE -> layout.leafSpine(tiers);
      case PARKING_LOT -> layout.row(tiers);
    }
    return layout;
  }

  /** Links grow towards the root, and may be as full as those below. */
  private void tree(int tiers) {
    double[] below = new double[1];
    addSwitch("t");
    // So that there are at most some 15 switches.
    int children = tiers == 2 ? between(2, 6) : tiers == 3 ? between(2, 4) : 2;
    for (int child = 1; child <= children; child++) {
      subtree("t", "t" + child, tiers - 1, below);
    }
  }

  private void subtree(String parent, String name, int tiers, double[] sum) {
    addSwitch(name);
    double own = rate(LEAST_MEGABITS, 1200);
    if (tiers == 1) {
      edges.add(name);
    } else {
      double[] below = new double[1];
      int children = between(2, tiers == 2 ? 3 : 2);
      for (int child = 1; child <= children; child++) {
        subtree(name, name + child, tiers - 1, below);
      }
      own = rate(0.4 * below[0], 1.1 * below[0]);
    }
    sum[0] += own;
    cables.add(new Cable(name, parent, own));
  }

  /**
   * Which of equal paths a flow takes is its hash's matter, and nobody who shares ports by pairs
   * can know it: where there are several, their links are never full.
   */
  private void leafSpine(int tiers) {
    hasEqualPaths = random.nextBoolean();
    int equal = hasEqualPaths ? between(2, tiers == 2 ? 3 : 2) : 1;
    double access = rate(LEAST_MEGABITS, 1200);
    double up = hasEqualPaths ? FAST_MEGABITS : rate(LEAST_MEGABITS, 1000);
    double core = hasEqualPaths ? FAST_MEGABITS : rate(LEAST_MEGABITS, 1000);
    List<String> spines = new ArrayList<>();
    for (int pod = 1; pod <= (tiers == 2 ? 1 : 2); pod++) {
      List<String> own = addSwitches("spine" + pod + "x", equal);
      spines.addAll(own);
      for (String leaf : addSwitches("leaf" + pod + "x", between(2, tiers == 2 ? 5 : 3))) {
        own.forEach(spine -> cables.add(new Cable(leaf, spine, up)));
        if (tiers < 4) {
          edges.add(leaf);
          continue;
        }
        for (String rack : addSwitches("rack" + leaf.substring(4) + "x", between(1, 2))) {
          edges.add(rack);
          cables.add(new Cable(rack, leaf, access));
        }
      }
    }
    if (tiers > 2) {
      for (String each : addSwitches("core", equal)) {
        spines.forEach(spine -> cables.add(new Cable(spine, each, core)));
      }
    }
  }

  private void row(int ports) {
    double equal = random.nextInt(4) == 0 ? rate(LEAST_MEGABITS, 1600) : 0;
    addSwitch("p0");
    for (int i = 1; i <= ports; i++) {
      edges.add("p" + (i - 1));
      addSwitch("p" + i);
      double own = equal > 0 ? equal : rate(LEAST_MEGABITS, 1600);
      cables.add(new Cable("p" + (i - 1), "p" + i, own));
    }
  }

  private void addSwitch(String name) {
    switches.add(name);
  }

  private List<String> addSwitches(String prefix, int count) {
    List<String> added = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      added.add(prefix + i);
      addSwitch(prefix + i);
    }
    return added;
  }

  /** In steps of 10 Mbit/s. */
  private double rate(double least, double most) {
    double drawn = least + random.nextDouble() * (most - least);
    return Math.min(MOST_MEGABITS, Math.max(LEAST_MEGABITS, 10 * Math.rint(drawn / 10)));
  }

  private int between(int least, int most) {
    return least + random.nextInt(most - least + 1);
  }

  /** Links on a shortest path, the first found of equal ones; none within a switch. */
  List<Cable> path(String from, String to) {
    Map<String, Cable> towards = new HashMap<>();
    Deque<String> next = new ArrayDeque<>(List.of(to));
    while (!next.isEmpty() && !towards.containsKey(from)) {
      String at = next.remove();
      for (Cable cable : cables) {
        String other = other(cable, at);
        if (other != null && !other.equals(to) && towards.putIfAbsent(other, cable) == null) {
          next.add(other);
        }
      }
    }
    List<Cable> path = new ArrayList<>();
    for (String at = from; !at.equals(to); at = other(path.get(path.size() - 1), at)) {
      path.add(towards.get(at));
    }
    return path;
  }

  /** The other end; null where this is none of its ends. */
  private static String other(Cable cable, String end) {
    if (cable.from().equals(end)) {
      return cable.to();
    }
    return cable.to().equals(end) ? cable.from() : null;
  }
}
