// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.fabric;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.sluice.sim.fabric.Fabric.Cable;
import org.sluice.sim.fabric.Fabric.Habit;
import org.sluice.sim.fabric.Fabric.Host;
import org.sluice.sim.fabric.Fabric.Sender;
import org.sluice.sim.fabric.Fabric.Shape;
import org.sluice.sim.fabric.Fabric.Tenant;

/** Draws a fabric. The same seed gives the same one. */
public final class FabricDraw {
  /**
   * A time of sending and the silence after it, ms: by quarters, so that even the shortest lasts
   * long beside the tens of milliseconds in which a law may settle. A window in which endpoints are
   * judged lasts so long, or a multiple.
   */
  public static final int TURNS_MILLIS = 4000;

  private static final int LEAST_ENDPOINTS = 4;
  private static final int MOST_ENDPOINTS = 60;

  /**
   * What waits in a host's queue at the end of a turn is sent in silence, at most some 1 Mbit: who
   * gets less than this in a turn demands no more than it may have, so that little waits.
   */
  private static final double MEGABITS_OF_TURN = 25;

  private static final int[] WEIGHTS = {1, 1, 1, 2, 4};
  private static final int[] TENANTS_WEIGHTS = {1, 1, 2, 3, 4};
  private static final String[] TCPS = {"newreno", "cubic", "bbr"};
  private static final double HOST_MEGABITS = 1000;
  private static final double FAST_HOST_MEGABITS = 10_000;

  /** So that a packet more or less is nothing in a window. */
  private static final double LEAST_MEGABITS = 2;

  /** Both ends' links and those between give round trips of 0.1 to 4 ms. */
  private static final int LEAST_DELAY_MICROS = 35;

  private static final int MOST_DELAY_MICROS = 1950;
  private static final int RECEIVER_DELAY_MICROS = 5;

  private final SplittableRandom random;
  private final Shape shape;
  private final int tiers;
  private final Layout layout;
  private final List<Host> hosts = new ArrayList<>();

  /** By endpoint: its switch. */
  private final Map<String, String> places = new LinkedHashMap<>();

  private final List<String> sources = new ArrayList<>();
  private final List<String> receivers = new ArrayList<>();
  private final Map<String, List<String>> destinations = new LinkedHashMap<>();

  private FabricDraw(long seed) {
    random = new SplittableRandom(seed);
    shape = Shape.values()[random.nextInt(Shape.values().length)];
    tiers = between(2, 4);
    layout = Layout.draw(shape, tiers, random);
  }

  /** The fabric of a seed. */
  public static Fabric of(long seed) {
    return new FabricDraw(seed).draw();
  }

  private Fabric draw() {
    int endpoints = between(LEAST_ENDPOINTS, MOST_ENDPOINTS);
    int receiving = Math.max(1, between(endpoints / 6, endpoints / 3));
    addSources(endpoints - receiving);
    for (int i = 1; i <= receiving; i++) {
      addReceiver("r" + i);
    }
    sources.forEach(source -> destinations.put(source, destinations(source)));
    List<Sender> senders = senders();
    List<Tenant> tenants = tenants(senders);
    Set<String> siblings = new HashSet<>();
    tenants.forEach(tenant -> siblings.addAll(tenant.members()));
    senders.replaceAll(each -> siblings.contains(each.endpoint()) ? each.asSibling() : each);
    return new Fabric(shape, tiers, layout.switches, layout.cables, hosts, senders, tenants);
  }

  private void addSources(int count) {
    for (int host = 1; sources.size() < count; host++) {
      boolean isPair = sources.size() + 2 <= count && random.nextInt(8) == 0;
      String at = random.nextInt(8) > 0 ? pick(layout.edges) : anyBeforeTheLast();
      double drawn = Math.log((double) MOST_DELAY_MICROS / LEAST_DELAY_MICROS);
      int delay = (int) (LEAST_DELAY_MICROS * Math.exp(random.nextDouble() * drawn));
      List<String> own = isPair ? List.of("a", "b") : List.of();
      double rate = isPair ? FAST_HOST_MEGABITS : HOST_MEGABITS;
      add(new Host("s" + host, at, rate, delay, own), sources);
    }
  }

  /** Nothing leads on from the last switch of a row. */
  private String anyBeforeTheLast() {
    return shape == Shape.PARKING_LOT ? pick(layout.edges) : pick(layout.switches);
  }

  private void addReceiver(String name) {
    String at =
        switch (shape) {
          case TREE -> random.nextInt(3) > 0 ? layout.switches.get(0) : pick(layout.switches);
          case LEAF_SPINE -> pick(layout.edges);
          case PARKING_LOT ->
              layout.switches.get(
                  receivers.isEmpty() ? tiers : 1 + random.nextInt(tiers)); // one at the end
        };
    boolean isSlow = layout.hasEqualPaths || random.nextInt(7) == 0;
    double rate = isSlow ? 10 * between(20, 80) : FAST_HOST_MEGABITS;
    add(new Host(name, at, rate, RECEIVER_DELAY_MICROS, List.of()), receivers);
  }

  private void add(Host host, List<String> endpoints) {
    hosts.add(host);
    for (String name : host.endpointNames()) {
      endpoints.add(name);
      places.put(name, host.at());
    }
  }

  /** One to three, at other switches where there are any; now and then another sender. */
  private List<String> destinations(String source) {
    List<String> candidates =
        new ArrayList<>(receivers.stream().filter(to -> isElsewhere(source, to)).toList());
    if (candidates.isEmpty()) {
      candidates.addAll(receivers);
    }
    List<String> others = sources.stream().filter(to -> isElsewhere(source, to)).toList();
    if (!others.isEmpty() && random.nextInt(10) == 0) {
      candidates.add(pick(others));
    }
    int drawn = random.nextInt(10);
    int wanted = drawn < 7 ? 1 : drawn < 9 ? 2 : 3;
    Set<String> chosen = new HashSet<>();
    while (chosen.size() < Math.min(wanted, candidates.size())) {
      chosen.add(pick(candidates));
    }
    return chosen.stream().sorted().toList();
  }

  /** In a row everybody sends forward. */
  private boolean isElsewhere(String source, String to) {
    int from = layout.switches.indexOf(places.get(source));
    int at = layout.switches.indexOf(places.get(to));
    return shape == Shape.PARKING_LOT ? at > from : at != from;
  }

  // ---------------------------------------------------------------- who sends what

  private List<Sender> senders() {
    Map<String, Double> typical = typicalMegabits();
    boolean hasTurns = random.nextBoolean();
    List<Sender> senders = new ArrayList<>();
    for (String source : sources) {
      int drawn = random.nextInt(20);
      Habit habit = Habit.GREEDY;
      if (!senders.isEmpty() && drawn < 9) {
        habit = drawn < 5 || !hasTurns ? Habit.LIGHT : Habit.ON_OFF;
      }
      senders.add(sender(source, habit, typical.get(source)));
    }
    return senders;
  }

  /** Links by those who cross them; a sender's is the least of its paths, Mbit/s. */
  private Map<String, Double> typicalMegabits() {
    Map<Object, Integer> crossing = new HashMap<>();
    destinations.forEach(
        (source, all) -> {
          paths(source, all).forEach(cable -> crossing.merge(cable, 1, Integer::sum));
          all.forEach(to -> crossing.merge(to, 1, Integer::sum));
        });
    Map<String, Double> typical = new HashMap<>();
    destinations.forEach(
        (source, all) -> {
          double least = HOST_MEGABITS;
          for (Cable cable : paths(source, all)) {
            least = Math.min(least, cable.megabits() / crossing.get(cable));
          }
          for (String to : all) {
            least = Math.min(least, hostMegabits(to) / crossing.get(to));
          }
          typical.put(source, least);
        });
    return typical;
  }

  private double hostMegabits(String endpoint) {
    return hosts.stream()
        .filter(host -> host.endpointNames().contains(endpoint))
        .findFirst()
        .orElseThrow()
        .megabits();
  }

  private List<Cable> paths(String source, List<String> all) {
    List<Cable> cables = new ArrayList<>();
    for (String to : all) {
      cables.addAll(layout.path(places.get(source), places.get(to)));
    }
    return cables;
  }

  private Sender sender(String source, Habit habit, double typicalMegabits) {
    boolean isUdp = habit != Habit.GREEDY || random.nextInt(3) == 0;
    int bounds = random.nextInt(20);
    double part = random.nextDouble();
    int quarter = TURNS_MILLIS / 4;
    int on = habit == Habit.ON_OFF ? quarter * between(1, 3) : 0;
    return new Sender(
        source,
        habit,
        isUdp ? "udp" : TCPS[random.nextInt(TCPS.length)],
        destinations.get(source),
        isUdp ? megabits(habit, typicalMegabits, destinations.get(source).size(), on) : 0,
        on,
        on > 0 ? TURNS_MILLIS - on : 0,
        on > 0 ? quarter * random.nextInt(4) : 0,
        WEIGHTS[random.nextInt(WEIGHTS.length)],
        bounds == 0 ? rounded((0.1 + 0.3 * part) * typicalMegabits) : 0,
        bounds == 1 ? rounded((0.4 + part) * typicalMegabits) : 0);
  }

  private double megabits(Habit habit, double typical, int flows, int onMillis) {
    double most = typical * onMillis / 1000 < MEGABITS_OF_TURN ? 0.8 : 6;
    return switch (habit) {
      case GREEDY -> HOST_MEGABITS;
      case LIGHT -> rounded(Math.max(LEAST_MEGABITS, logarithmic(0.05, 0.8) * typical) / flows);
      case ON_OFF ->
          rounded(
              Math.min(HOST_MEGABITS, Math.max(LEAST_MEGABITS, logarithmic(0.2, most) * typical))
                  / flows);
    };
  }

  // ---------------------------------------------------------------- tenants

  private List<Tenant> tenants(List<Sender> senders) {
    int count = random.nextInt(7);
    List<Tenant> tenants = new ArrayList<>();
    Map<Integer, List<Sender>> members = new HashMap<>();
    for (Sender sender : senders) {
      int tenant = count > 0 && random.nextInt(10) < 7 ? random.nextInt(count) : -1;
      members.computeIfAbsent(tenant, none -> new ArrayList<>()).add(sender);
    }
    for (int i = 0; i < count; i++) {
      if (members.containsKey(i)) {
        tenants.add(tenant("T" + i, members.get(i)));
      }
    }
    return tenants;
  }

  private Tenant tenant(String name, List<Sender> members) {
    double least = HOST_MEGABITS;
    for (Sender each : members) {
      for (Cable cable : paths(each.endpoint(), each.destinations())) {
        least = Math.min(least, cable.megabits());
      }
      for (String to : each.destinations()) {
        least = Math.min(least, hostMegabits(to));
      }
    }
    double guarantee =
        random.nextInt(10) < 3 ? rounded((0.1 + 0.3 * random.nextDouble()) * least) : 0;
    double ceiling = rounded((0.2 + 0.8 * random.nextDouble()) * least);
    boolean isHeld = random.nextInt(5) == 0;
    return new Tenant(
        name,
        members.stream().map(Sender::endpoint).toList(),
        TENANTS_WEIGHTS[random.nextInt(TENANTS_WEIGHTS.length)],
        guarantee,
        isHeld ? Math.max(guarantee, ceiling) : 0);
  }

  // ---------------------------------------------------------------- numbers

  private int between(int least, int most) {
    return least + random.nextInt(most - least + 1);
  }

  private double logarithmic(double least, double most) {
    return least * Math.exp(random.nextDouble() * Math.log(most / least));
  }

  /** To tenths, and above 0. */
  private static double rounded(double megabits) {
    return Math.max(0.1, Math.rint(10 * megabits) / 10);
  }

  private <T> T pick(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }
}
