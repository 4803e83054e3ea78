// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.fairness;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.SplittableRandom;
import org.sluice.sim.fairness.FairnessCase.Cable;
import org.sluice.sim.fairness.FairnessCase.EndpointPlan;
import org.sluice.sim.fairness.FairnessCase.TenantPlan;

/** Kinds of networks, and how one is drawn. The same random numbers give the same case. */
enum CaseKind {
  /** One port, everybody there. */
  ONE_PORT,
  /** Two to six ports in a row; who sends crosses some of them, one after the other. */
  CHAIN,
  /** Two or three links, used in both directions; who sends crosses one to four ports. */
  TREE;

  /** How many tenants and endpoints there may be, and how fast links are. */
  record Size(
      int maxLinks,
      int maxTenants,
      int maxEndpointsOfTenant,
      double minMegabits,
      double maxMegabits) {}

  private static final double[] WEIGHTS = {1, 1, 1, 2, 3, 4, 8};

  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  /** The case of a number. */
  FairnessCase draw(long seed, Size size) {
    // Random's first numbers are alike for seeds that are near each other.
    return draw(new Random(new SplittableRandom(seed).nextLong()), size);
  }

  FairnessCase draw(Random random, Size size) {
    List<Cable> links = links(random, size);
    double least = links.stream().mapToDouble(Cable::megabits).min().orElseThrow();
    List<TenantPlan> tenants = new ArrayList<>();
    List<EndpointPlan> endpoints = new ArrayList<>();
    int count = 2 + skewed(random, size.maxTenants() - 1);
    for (int i = 0; i < count; i++) {
      tenants.add(tenant(random, least));
      int own = 1 + skewed(random, size.maxEndpointsOfTenant());
      for (int e = 0; e < own; e++) {
        endpoints.add(endpoint(random, i, links.size(), least / count / Math.sqrt(own)));
      }
    }
    return new FairnessCase(links, tenants, endpoints);
  }

  private List<Cable> links(Random random, Size size) {
    int count =
        switch (this) {
          case ONE_PORT -> 1;
          case CHAIN -> 2 + random.nextInt(size.maxLinks() - 1);
          case TREE -> 2 + random.nextInt(Math.max(1, size.maxLinks() / 2 - 1));
        };
    List<Cable> links = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int parent = this == TREE ? random.nextInt(i + 1) : i;
      double range = size.maxMegabits() - size.minMegabits();
      double megabits = size.minMegabits() + range * random.nextDouble();
      links.add(new Cable(parent, megabits));
    }
    return links;
  }

  /** 0 to below the bound, small ones more often. */
  private static int skewed(Random random, int bound) {
    double part = random.nextDouble();
    return (int) (part * part * part * bound);
  }

  private static TenantPlan tenant(Random random, double leastMegabits) {
    boolean isShared = random.nextInt(6) > 0;
    double guarantee = random.nextInt(4) == 0 ? leastMegabits * 0.4 * random.nextDouble() : 0;
    double ceiling =
        random.nextInt(5) == 0 ? leastMegabits * (0.05 + 0.5 * random.nextDouble()) : 0;
    return isShared
        ? new TenantPlan(
            true,
            WEIGHTS[random.nextInt(WEIGHTS.length)],
            ceiling > 0 ? Math.min(guarantee, ceiling) : guarantee,
            ceiling)
        : new TenantPlan(false, 1, 0, 0);
  }

  private EndpointPlan endpoint(Random random, int tenant, int links, double typicalMegabits) {
    int at = this == CHAIN ? random.nextInt(links) : random.nextInt(links + 1);
    List<Integer> to = new ArrayList<>();
    for (int wanted = 1 + skewed(random, 3); to.size() < wanted; wanted--) {
      int other = destination(random, at, links);
      if (!to.contains(other)) {
        to.add(other);
      }
    }
    boolean isGreedy = random.nextInt(5) < 3;
    double light = typicalMegabits * Math.exp(Math.log(0.05) + random.nextDouble() * Math.log(60));
    double ceiling = random.nextInt(8) == 0 ? typicalMegabits * (0.3 + 2 * random.nextDouble()) : 0;
    return new EndpointPlan(
        tenant,
        WEIGHTS[random.nextInt(WEIGHTS.length)],
        0,
        ceiling,
        this == ONE_PORT ? 0 : at,
        this == ONE_PORT ? List.of(1) : to,
        isGreedy ? FairnessCase.ALL : light,
        random.nextBoolean(),
        random.nextInt(5) > 0);
  }

  private int destination(Random random, int at, int links) {
    if (this == CHAIN) {
      return at + 1 + random.nextInt(links - at);
    }
    int other = random.nextInt(links);
    return other < at ? other : other + 1;
  }
}
