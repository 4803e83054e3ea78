// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.fabric;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A network, and who sends what through it.
 *
 * @param tiers of switches; of a parking lot the ports in a row
 * @param hosts senders first
 */
public record Fabric(
    Shape shape,
    int tiers,
    List<String> switches,
    List<Cable> cables,
    List<Host> hosts,
    List<Sender> senders,
    List<Tenant> tenants) {
  public Fabric {
    switches = List.copyOf(switches);
    cables = List.copyOf(cables);
    hosts = List.copyOf(hosts);
    senders = List.copyOf(senders);
    tenants = List.copyOf(tenants);
  }

  /** How switches are linked. */
  public enum Shape {
    /** Every switch but the root has one above it. */
    TREE,
    /** Every switch of a tier is linked to all of the next one, in pods from three tiers on. */
    LEAF_SPINE,
    /** A row of ports; who sends crosses some of them, one after the other. */
    PARKING_LOT;

    /** As reports have it. */
    public String label() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /**
   * A link between switches.
   *
   * @param megabits Mbit/s, each direction
   */
  public record Cable(String from, String to, double megabits) {}

  /**
   * @param at its switch
   * @param megabits of its link, Mbit/s
   * @param delayMicros of its link
   * @param endpoints their names within the host; none where the host is one endpoint
   */
  public record Host(
      String name, String at, double megabits, int delayMicros, List<String> endpoints) {
    public Host {
      endpoints = List.copyOf(endpoints);
    }

    /** Names of endpoints in a scenario. */
    List<String> endpointNames() {
      return endpoints.isEmpty()
          ? List.of(name)
          : endpoints.stream().map(each -> name + "/" + each).toList();
    }
  }

  /** When a sender sends. */
  public enum Habit {
    /** All it can. */
    GREEDY,
    /** Clearly less than it could. */
    LIGHT,
    /** In turns of sending and silence. */
    ON_OFF
  }

  /**
   * An endpoint that sends.
   *
   * @param destinations endpoints; a flow to each
   * @param megabits of each flow, Mbit/s; 0 where the transport finds its rate itself
   * @param onMillis of sending; 0 where it sends all the time
   * @param offMillis of silence after that
   * @param startMillis when the first turn begins
   * @param weight among its siblings
   * @param guaranteeMegabits its own; 0 is none
   * @param ceilingMegabits its own; 0 is none
   */
  public record Sender(
      String endpoint,
      Habit habit,
      String transport,
      List<String> destinations,
      double megabits,
      int onMillis,
      int offMillis,
      int startMillis,
      int weight,
      double guaranteeMegabits,
      double ceilingMegabits) {
    public Sender {
      destinations = List.copyOf(destinations);
    }

    /** Whether it has a weight other than 1, a guarantee or a ceiling. */
    boolean isDueMore() {
      return weight != 1 || guaranteeMegabits > 0 || ceilingMegabits > 0;
    }

    /** The same, due nothing by itself: a tenant's endpoint has a weight among its siblings. */
    Sender asSibling() {
      return new Sender(
          endpoint,
          habit,
          transport,
          destinations,
          megabits,
          onMillis,
          offMillis,
          startMillis,
          weight,
          0,
          0);
    }

    /** What it sends, such as "cubic to r1, r2". */
    public String words() {
      String rate = megabits > 0 ? String.format(Locale.ROOT, " %s Mbit/s", megabits) : "";
      String turns = onMillis > 0 ? ", " + onMillis + " of " + (onMillis + offMillis) + " ms" : "";
      return transport + rate + turns + " to " + String.join(", ", destinations);
    }
  }

  /**
   * @param members endpoints that send; at least one
   * @param guaranteeMegabits of all together; 0 is none
   * @param ceilingMegabits of all together; 0 is none
   */
  public record Tenant(
      String name,
      List<String> members,
      int weight,
      double guaranteeMegabits,
      double ceilingMegabits) {
    public Tenant {
      members = List.copyOf(members);
    }
  }

  public int endpoints() {
    return hosts.stream().mapToInt(host -> host.endpointNames().size()).sum();
  }

  /** Whether anybody sends in turns. */
  public boolean hasTurns() {
    return senders.stream().anyMatch(each -> each.habit == Habit.ON_OFF);
  }

  public Optional<Tenant> tenantOf(String endpoint) {
    return tenants.stream().filter(each -> each.members.contains(endpoint)).findFirst();
  }

  /** In a few words, such as "tree of 3 tiers, 23 endpoints, 4 tenants". */
  public String words() {
    return shape.label()
        + (shape == Shape.PARKING_LOT ? " of " + tiers + " ports" : " of " + tiers + " tiers")
        + ", "
        + endpoints()
        + " endpoints, "
        + tenants.size()
        + " tenants"
        + (hasTurns() ? ", on-off" : "");
  }
}
