// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.fairness;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.sluice.sim.fairness.FairnessCase.EndpointPlan;
import org.sluice.sim.fairness.FairnessCase.TenantPlan;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Port;
import org.sluice.sim.transport.Flow;

/**
 * Whether rates are hierarchical weighted max-min shares, by what defines these, and without
 * computing any: nothing is over what there is or may be; and whoever gets less than it demands is
 * held at some port, where nobody beside it has more by weight, unless by a guarantee, and it has
 * what is guaranteed. Held is a flow within its endpoint, an endpoint within its tenant, a tenant
 * within the port: by siblings, or by a ceiling. A tenant's guarantee is divided among flows: none
 * has more of it than it demands, and whoever wants more has as much as any other by weight.
 */
@SuppressWarnings("ReferenceEquality") // A case has each of these once.
final class SharesCheck {
  private static final double SLACK = 1e-5;

  private final CaseNetwork network;
  private final Map<Flow, Double> rates;
  private final Map<Flow, Double> floors;
  private final double slackMegabits;
  private final Map<Port, List<Flow>> ports = new LinkedHashMap<>();

  /**
   * @param floors each flow's part of its tenant's guarantee, Mbit/s
   */
  SharesCheck(CaseNetwork network, Map<Flow, Double> rates, Map<Flow, Double> floors) {
    this.network = network;
    this.rates = rates;
    this.floors = floors;
    this.slackMegabits =
        SLACK * network.drawn.links().stream().mapToDouble(each -> each.megabits()).max().orElse(1);
    for (Flow flow : rates.keySet()) {
      ports.computeIfAbsent(flow.source().host().nic(), none -> new ArrayList<>()).add(flow);
      network
          .path(flow)
          .forEach(port -> ports.computeIfAbsent(port, none -> new ArrayList<>()).add(flow));
    }
  }

  /** What is wrong, if anything. */
  Optional<String> problem() {
    return Stream.of(
            ports.keySet().stream().flatMap(this::excesses),
            rates.keySet().stream().flatMap(this::wrongFloors),
            rates.keySet().stream()
                .filter(flow -> !isContent(flow) && !isHeld(flow))
                .map(this::say))
        .flatMap(some -> some)
        .findFirst();
  }

  private String say(Flow flow) {
    return String.format(
        "%s has %.4f of %.4f and is held nowhere", flow.name(), rate(flow), wanted(flow));
  }

  private double rate(Flow flow) {
    return rates.get(flow);
  }

  private double wanted(Flow flow) {
    return plan(flow.source()).wantedMegabits();
  }

  private double sum(Stream<Flow> flows) {
    return flows.mapToDouble(this::rate).sum();
  }

  private boolean isContent(Flow flow) {
    return rate(flow) >= wanted(flow) - slackMegabits;
  }

  // ---------------------------------------------------------------- nothing too much

  private Stream<String> excesses(Port port) {
    List<String> found = new ArrayList<>();
    double passing = sum(ports.get(port).stream());
    if (passing > capacity(port) + slackMegabits) {
      found.add(name(port) + " carries " + passing + " of " + capacity(port));
    }
    for (Flow flow : ports.get(port)) {
      if (rate(flow) > wanted(flow) + slackMegabits) {
        found.add(flow.name() + " has more than it wants");
      }
      if (ofEndpoint(port, flow.source()) > ceiling(flow.source()) + slackMegabits) {
        found.add(flow.source().name() + " is over its ceiling at " + name(port));
      }
      if (ofTenant(flow) > tenantCeiling(flow) + slackMegabits) {
        found.add("the tenant of " + flow.name() + " is over its ceiling");
      }
    }
    return found.stream();
  }

  private static String name(Port port) {
    return port.owner().name() + ">" + port.peer().name();
  }

  private static double capacity(Port port) {
    return port.rateBitsPerSecond() / 1e6;
  }

  // ---------------------------------------------------------------- held by others

  private boolean isHeld(Flow flow) {
    return isHeldByTenantsCeiling(flow)
        || Stream.concat(Stream.of(flow.source().host().nic()), network.path(flow).stream())
            .anyMatch(port -> isHeldAt(flow, port));
  }

  private boolean isHeldByTenantsCeiling(Flow flow) {
    List<Flow> siblings = siblings(flow);
    boolean hasAsMuch =
        siblings.stream()
            .filter(other -> other.source() == flow.source())
            .allMatch(other -> rate(other) <= rate(flow) + slackMegabits);
    return hasAsMuch
        && ofTenant(flow) >= tenantCeiling(flow) - slackMegabits
        && isLeast(
            flow.source(),
            siblings.stream().map(Flow::source).distinct().toList(),
            each -> sum(siblings.stream().filter(other -> other.source() == each)),
            each -> plan(each).weight(),
            each -> 0);
  }

  private boolean isHeldAt(Flow flow, Port port) {
    Endpoint endpoint = flow.source();
    boolean hasAsMuchAsSiblings =
        ports.get(port).stream()
            .filter(other -> other.source() == endpoint)
            .allMatch(other -> rate(other) <= rate(flow) + slackMegabits);
    if (!hasAsMuchAsSiblings) {
      return false;
    }
    if (ofEndpoint(port, endpoint) >= ceiling(endpoint) - slackMegabits) {
      return true;
    }
    boolean isPortFull = sum(ports.get(port).stream()) >= capacity(port) - slackMegabits;
    return isPortFull
        && (!isShared(endpoint) || isEndpointHeld(flow, port))
        && isTenantHeld(flow, port);
  }

  private boolean isEndpointHeld(Flow flow, Port port) {
    List<Endpoint> siblings =
        ports.get(port).stream()
            .map(Flow::source)
            .filter(other -> plan(other).tenant() == plan(flow.source()).tenant())
            .distinct()
            .toList();
    double floors = siblings.stream().mapToDouble(each -> endpointFloor(port, each)).sum();
    double scale = Math.min(portScale(port), floors > 0 ? ofTenant(port, flow) / floors : 1);
    return isLeast(
        flow.source(),
        siblings,
        each -> ofEndpoint(port, each),
        each -> plan(each).weight(),
        each -> scale * endpointFloor(port, each));
  }

  private boolean isTenantHeld(Flow flow, Port port) {
    List<Flow> others = new ArrayList<>();
    for (Flow other : ports.get(port)) {
      if (others.stream().noneMatch(known -> isSameSharer(known, other))) {
        others.add(other);
      }
    }
    Flow own = others.stream().filter(each -> isSameSharer(each, flow)).findFirst().orElseThrow();
    double scale = portScale(port);
    return isLeast(
        own,
        others,
        each -> ofTenant(port, each),
        each -> isShared(each.source()) ? tenant(each).weight() : plan(each.source()).weight(),
        each -> scale * tenantFloor(port, each));
  }

  private <T> boolean isLeast(
      T own,
      List<T> all,
      ToDoubleFunction<T> rate,
      ToDoubleFunction<T> weight,
      ToDoubleFunction<T> floor) {
    double level = (rate.applyAsDouble(own) + slackMegabits) / weight.applyAsDouble(own);
    return rate.applyAsDouble(own) >= floor.applyAsDouble(own) - slackMegabits
        && all.stream()
            .allMatch(
                each ->
                    rate.applyAsDouble(each) <= level * weight.applyAsDouble(each) + slackMegabits
                        || rate.applyAsDouble(each) <= floor.applyAsDouble(each) + slackMegabits);
  }

  // ---------------------------------------------------------------- who is who

  private EndpointPlan plan(Endpoint endpoint) {
    return network.drawn.endpoints().get(network.endpoints.indexOf(endpoint));
  }

  private TenantPlan tenant(Flow flow) {
    return network.drawn.tenants().get(plan(flow.source()).tenant());
  }

  private boolean isShared(Endpoint endpoint) {
    return network.drawn.tenants().get(plan(endpoint).tenant()).isShared();
  }

  private boolean isSameSharer(Flow one, Flow other) {
    return one.source() == other.source()
        || (isShared(one.source()) && plan(one.source()).tenant() == plan(other.source()).tenant());
  }

  private double ofEndpoint(Port port, Endpoint endpoint) {
    return sum(ports.get(port).stream().filter(flow -> flow.source() == endpoint));
  }

  private double ofTenant(Port port, Flow flow) {
    return sum(ports.get(port).stream().filter(other -> isSameSharer(flow, other)));
  }

  private List<Flow> siblings(Flow flow) {
    return rates.keySet().stream().filter(other -> isSameSharer(flow, other)).toList();
  }

  /** At all ports together. */
  private double ofTenant(Flow flow) {
    return sum(siblings(flow).stream());
  }

  private double ceiling(Endpoint endpoint) {
    double ceiling = plan(endpoint).ceilingMegabits();
    return ceiling > 0 ? ceiling : FairnessCase.ALL;
  }

  private double tenantCeiling(Flow flow) {
    double ceiling = isShared(flow.source()) ? tenant(flow).ceilingMegabits() : 0;
    return ceiling > 0 ? ceiling : FairnessCase.ALL;
  }

  // ---------------------------------------------------------------- guarantees

  /** The endpoint's guarantee, a part of it for each of its flows. Receivers have none. */
  private double endpointFloor(Port port, Endpoint endpoint) {
    long all = rates.keySet().stream().filter(flow -> flow.source() == endpoint).count();
    long here = ports.get(port).stream().filter(flow -> flow.source() == endpoint).count();
    double floor = plan(endpoint).guaranteeMegabits() * here / all;
    return Math.min(floor, ceiling(endpoint));
  }

  private double tenantFloor(Port port, Flow flow) {
    double ownFloors =
        ports.get(port).stream()
            .filter(other -> isSameSharer(flow, other))
            .map(Flow::source)
            .distinct()
            .mapToDouble(each -> endpointFloor(port, each))
            .sum();
    if (!isShared(flow.source())) {
      return ownFloors;
    }
    double ofGuarantee =
        ports.get(port).stream()
            .filter(other -> isSameSharer(flow, other))
            .mapToDouble(floors::get)
            .sum();
    double floor = Math.max(ownFloors, ofGuarantee);
    double ceilings =
        ports.get(port).stream()
            .filter(other -> isSameSharer(flow, other))
            .map(Flow::source)
            .distinct()
            .mapToDouble(this::ceiling)
            .sum();
    return Math.min(floor, Math.min(tenantCeiling(flow), ceilings));
  }

  /** What is wrong with how the guarantee of a flow's tenant is divided. */
  private Stream<String> wrongFloors(Flow flow) {
    if (!isShared(flow.source())) {
      return Stream.empty();
    }
    List<String> found = new ArrayList<>();
    List<Flow> siblings = siblings(flow);
    double guarantee = tenant(flow).guaranteeMegabits();
    double given = siblings.stream().mapToDouble(floors::get).sum();
    double most = Math.min(wanted(flow), ceiling(flow.source()));
    if (given > guarantee + slackMegabits || floors.get(flow) > most + slackMegabits) {
      found.add(flow.name() + " has a floor beyond what it demands, or is guaranteed");
    }
    boolean wantsMore = !isContent(flow) && floors.get(flow) < most - slackMegabits;
    double level = (floors.get(flow) + slackMegabits) / partWeight(flow);
    boolean isLess =
        given < guarantee - slackMegabits
            || siblings.stream()
                .anyMatch(each -> floors.get(each) > level * partWeight(each) + slackMegabits);
    if (wantsMore && guarantee > 0 && isLess) {
      found.add(flow.name() + " has less of the guarantee than its siblings leave");
    }
    return found.stream();
  }

  /** Its endpoint's, divided among those of its flows that draw on the guarantee. */
  private double partWeight(Flow flow) {
    long drawing =
        rates.keySet().stream()
            .filter(other -> other.source() == flow.source() && floors.get(other) > 0)
            .count();
    return plan(flow.source()).weight() / Math.max(1, drawing);
  }

  /** What part of their floors all have at a port: together at most nine tenths of it. */
  private double portScale(Port port) {
    List<Flow> sharers = new ArrayList<>();
    for (Flow flow : ports.get(port)) {
      if (sharers.stream().noneMatch(known -> isSameSharer(known, flow))) {
        sharers.add(flow);
      }
    }
    double floors = sharers.stream().mapToDouble(each -> tenantFloor(port, each)).sum();
    return floors > 0 ? Math.min(1, 0.9 * capacity(port) / floors) : 1;
  }
}
