// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.sluice.api.ClockTime;
import org.sluice.api.Endpoint;
import org.sluice.api.EndpointId;
import org.sluice.api.EndpointTraffic;
import org.sluice.api.Finding;
import org.sluice.api.Host;
import org.sluice.api.JournalEntry;
import org.sluice.api.MegabitRate;
import org.sluice.api.Member;
import org.sluice.api.MilliTime;
import org.sluice.api.PortId;
import org.sluice.api.PortLimit;
import org.sluice.api.PortStatus;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.TenantRateService;
import org.sluice.api.TenantRates;
import org.sluice.api.cluster.NodeStatus;
import org.sluice.api.counters.CounterSource;
import org.sluice.api.deadline.DeadlineSummary;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.json.TenantJson;

/** How each kind of thing is listed. */
final class Listings {
  private static final int DECIMALS = 4;

  static final Listing<Tenant> TENANTS = tenants();

  private static Listing<Tenant> tenants() {
    return new Listing<Tenant>("tenants")
        .column("id", "TENANT", t -> t.id().name())
        .column("weight", "WEIGHT", t -> plain(t.weight()))
        .rate("guaranteeBitsPerSecond", "GUARANTEE Mbit/s", Tenant::guaranteeBitsPerSecond)
        .rate("ceilingBitsPerSecond", "CEILING Mbit/s", Tenant::ceilingBitsPerSecond)
        .rate(
            "receiveCeilingBitsPerSecond",
            "RECEIVE CEILING Mbit/s",
            Tenant::receiveCeilingBitsPerSecond)
        .column("ecn", "ECN", t -> t.preserveEcn() ? "preserve" : "clear")
        .column(
            "members",
            "MEMBERS",
            t -> TenantJson.write(t).path("members"),
            t -> t.members().stream().map(Member::toString).collect(Collectors.toList()));
  }

  /** How tenants are listed with what they were promised, beside what they get. */
  static Listing<Tenant> tenants(TenantRateService rates) {
    return tenants()
        .column(
            "promisedBitsPerSecond",
            "PROMISED Mbit/s",
            t -> rates.rates(t.id()).promisedBitsPerSecond(),
            t -> Listing.megabits(orNone(rates.rates(t.id()).promisedBitsPerSecond())))
        .column(
            "deliveredBitsPerSecond",
            "DELIVERED Mbit/s",
            t -> rates.rates(t.id()).deliveredBitsPerSecond(),
            t -> MegabitRate.rounded(rates.rates(t.id()).deliveredBitsPerSecond()))
        .column(
            "refusedIps",
            "AMISS",
            t -> refusedIps(rates.rates(t.id())),
            t -> amiss(rates.rates(t.id())))
        .jsonColumn("scaledFloors", t -> scaledFloors(rates.rates(t.id())));
  }

  private static List<Map<String, Object>> refusedIps(TenantRates rates) {
    List<Map<String, Object>> refused = new ArrayList<>();
    rates
        .refusedIps()
        .forEach(
            (endpoint, ips) ->
                ips.forEach(ip -> refused.add(ordered("endpoint", endpoint, "ip", ip))));
    return refused;
  }

  private static List<Map<String, Object>> scaledFloors(TenantRates rates) {
    List<Map<String, Object>> scaled = new ArrayList<>();
    rates
        .floorScales()
        .forEach((port, scale) -> scaled.add(ordered("port", port, "scale", plain(scale))));
    return scaled;
  }

  private static Map<String, Object> ordered(
      String key, Object value, String otherKey, Object otherValue) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put(key, value);
    map.put(otherKey, otherValue);
    return map;
  }

  /** Why a tenant does not have what it is due, whatever else there is. */
  private static List<String> amiss(TenantRates rates) {
    List<String> amiss = new ArrayList<>();
    rates
        .refusedIps()
        .forEach(
            (endpoint, ips) -> ips.forEach(ip -> amiss.add(endpoint + ": " + ip + " refused")));
    rates
        .floorScales()
        .forEach(
            (port, scale) -> amiss.add("has " + plain(scale) + " of its guarantee at " + port));
    return amiss;
  }

  /**
   * How endpoints are listed.
   *
   * @param label what operators call a port
   */
  static Listing<Endpoint> endpoints(Function<PortId, String> label) {
    return new Listing<Endpoint>("endpoints")
        .column("id", "ENDPOINT", e -> e.id().toString())
        .column("tenant", "TENANT", e -> e.tenant().name())
        .column("mac", "MAC", e -> e.mac().toString())
        .column("ips", "IPS", Listings::ips, Listings::ipTexts)
        .jsonColumn("refusedIps", e -> List.copyOf(e.refusedIps().keySet()))
        .column(
            "attachment",
            "ATTACHMENT",
            e -> e.attachment().map(PortId::toString).orElse(null),
            e -> e.attachment().map(label).orElse(null))
        .column(
            "limitBitsPerSecond",
            "LIMIT Mbit/s",
            e -> orNone(e.rateBitsPerSecond()),
            e -> knownText(e, t -> Listing.megabits(orNone(e.rateBitsPerSecond()))))
        .column(
            "deliveredBitsPerSecond",
            "DELIVERED Mbit/s",
            e -> known(e, EndpointTraffic::deliveredBitsPerSecond),
            e -> knownText(e, t -> MegabitRate.rounded(t.deliveredBitsPerSecond())))
        .column(
            "heldBack",
            "HELD BACK",
            e -> e.traffic().heldBack(),
            e -> knownText(e, EndpointTraffic::heldBack))
        .jsonColumn("backlogBytes", e -> known(e, EndpointTraffic::backlogBytes))
        .jsonColumn("droppedPackets", e -> known(e, EndpointTraffic::droppedPackets))
        .column("limits", "AT CONGESTED PORTS", Listings::limits, e -> limitTexts(e, label));
  }

  /** Null where the endpoint's agent does not report. */
  private static Object known(Endpoint endpoint, Function<EndpointTraffic, Object> value) {
    return endpoint.traffic().known() ? value.apply(endpoint.traffic()) : null;
  }

  private static Object knownText(Endpoint endpoint, Function<EndpointTraffic, Object> value) {
    return endpoint.traffic().known() ? value.apply(endpoint.traffic()) : "not known";
  }

  static final Listing<FlowStatus> FLOWS =
      new Listing<FlowStatus>("flows")
          .column("id", "FLOW", FlowStatus::id)
          .column("tenant", "TENANT", f -> f.tenant().name())
          .column("source", "SOURCE", f -> f.flow().source().toString(), Listings::sourceText)
          .jsonColumn("sourcePort", f -> f.flow().sourcePort())
          .column(
              "destination",
              "DESTINATION",
              f -> f.flow().destination().toString(),
              Listings::destinationText)
          .jsonColumn("destinationPort", f -> f.flow().destinationPort())
          .column("sizeBytes", "SIZE bytes", FlowStatus::sizeBytes)
          .column("remainingBytes", "LEFT bytes", FlowStatus::remainingBytes)
          .column("deadline", "DEADLINE", f -> ClockTime.text(f.deadline()))
          .column(
              "dueInMillis",
              "DUE IN",
              f -> MilliTime.fromNanos(f.dueInNanos()),
              f -> MilliTime.text(f.dueInNanos()))
          .column("promised", "PROMISED", FlowStatus::promised, Listings::promiseText)
          .jsonColumn("promiseLost", FlowStatus::promiseLost)
          .column("state", "STATE", f -> f.state().text());

  /** How congested ports are listed, with what operators call them. */
  static Listing<DeadlineSummary.CongestedPort> congestedPorts(Function<PortId, String> label) {
    return new Listing<DeadlineSummary.CongestedPort>("congestedPorts")
        .column("port", "CONGESTED PORT", p -> p.port().toString(), p -> label.apply(p.port()))
        .column("totalWindowBytes", "T_WIN bytes", p -> p.totalWindowBytes());
  }

  static final Listing<Map.Entry<TenantId, Map<FlowState, Long>>> DEADLINES = deadlines();

  private static Listing<Map.Entry<TenantId, Map<FlowState, Long>>> deadlines() {
    Listing<Map.Entry<TenantId, Map<FlowState, Long>>> listing =
        new Listing<Map.Entry<TenantId, Map<FlowState, Long>>>("tenants")
            .column("tenant", "TENANT", t -> t.getKey().name());
    for (FlowState state : FlowState.values()) {
      String header = state.text().toUpperCase(Locale.ROOT).replace('-', ' ');
      listing.column(state.text(), header, t -> t.getValue().getOrDefault(state, 0L));
    }
    return listing;
  }

  /** How hosts are listed, with what operators call the ports that their agents keep. */
  static Listing<Host> hosts(Function<PortId, String> label) {
    return new Listing<Host>("hosts")
        .column("id", "HOST", h -> h.id().name())
        .column(
            "connected",
            "CONNECTED",
            Host::connected,
            h -> h.stopped() && !h.connected() ? "no (stopped)" : h.connected())
        .jsonColumn("stopped", Host::stopped)
        .column("agentVersion", "AGENT", Host::agentVersion)
        .column("uplink", "UPLINK", h -> h.uplink().isEmpty() ? null : h.uplink())
        .rate("uplinkCapacityBitsPerSecond", "CAPACITY Mbit/s", Host::uplinkCapacityBitsPerSecond)
        .column("endpointCount", "ENDPOINTS", Host::endpointCount)
        .column(
            "switchPorts",
            "QUEUES OF PORTS",
            h -> switchPorts(h, PortId::toString),
            h -> switchPorts(h, label))
        .column("lastSeen", "LAST SEEN", h -> ClockTime.text(h.lastSeen()))
        .column("missingFeatures", "MISSING FEATURES", Host::missingFeatures)
        .column("residualDroppedPackets", "RESIDUAL DROPPED", Host::residualDroppedPackets)
        .column("residualExceededBy", "RESIDUAL EXCEEDED BY", Host::residualExceededBy);
  }

  static final Listing<JournalEntry> JOURNAL =
      new Listing<JournalEntry>("entries")
          .column("sequence", "NUMBER", JournalEntry::sequence)
          .column("time", "TIME", e -> ClockTime.text(e.time()))
          .column("kind", "KIND", e -> e.kind().text())
          .column("law", "LAW", JournalEntry::law)
          .column(
              "port",
              "PORT",
              e -> e.port().map(PortId::toString).orElse(null),
              e -> e.port().map(port -> PortId.label(port, e.portName())).orElse(null))
          .jsonColumn("portName", e -> e.portName().orElse(null))
          .column("endpoint", "ENDPOINT", e -> e.endpoint().map(EndpointId::toString).orElse(null))
          .jsonColumn("tenant", e -> e.tenant().map(TenantId::toString).orElse(null))
          .column("decision", "DECISION", JournalEntry::decision)
          .column("evidence", "EVIDENCE", JournalEntry::evidence);

  static final Listing<NodeStatus> NODES =
      new Listing<NodeStatus>("nodes")
          .column("name", "NODE", n -> n.name(), n -> n.name() + (n.local() ? " (this)" : ""))
          .column("state", "STATE", n -> n.state().name().toLowerCase(Locale.ROOT))
          .column("silentSeconds", "SILENT s", NodeStatus::silentSeconds)
          .column("leads", "LEADS", NodeStatus::leads, n -> n.leads() ? "leads" : "")
          .column("switches", "MASTER OF", NodeStatus::switches)
          .column("version", "VERSION", NodeStatus::version)
          .column("clockOffMillis", "CLOCK OFF ms", NodeStatus::clockOffMillis)
          .column("webFault", "REST", NodeStatus::webFault);

  static final Listing<Finding> FINDINGS =
      new Listing<Finding>("findings")
          .column("severity", "SEVERITY", f -> f.severity().name().toLowerCase(Locale.ROOT))
          .column("about", "ABOUT", Finding::about)
          .column("what", "WHAT", Finding::what)
          .column("remedy", "REMEDY", Finding::remedy);

  private Listings() {}

  /**
   * How ports are listed.
   *
   * @param sources where the counters of a switch come from, by its datapath
   */
  static Listing<PortStatus> ports(Map<String, CounterSource> sources) {
    return new Listing<PortStatus>("ports")
        .column("id", "PORT", p -> p.id().toString(), PortStatus::label)
        .jsonColumn("name", p -> p.name().orElse(null))
        .rate("capacityBitsPerSecond", "CAPACITY Mbit/s", PortStatus::capacityBitsPerSecond)
        .column(
            "capacitySource",
            "CAPACITY FROM",
            p -> p.capacitySource().name().toLowerCase(Locale.ROOT))
        .column("congested", "CONGESTED", PortStatus::congested)
        .column("estimated", "ESTIMATED", PortStatus::estimated)
        .column(
            "marksFrom",
            "MARKS FROM",
            p -> p.marksFrom().map(source -> source.name().toLowerCase(Locale.ROOT)).orElse(null))
        .column("ceShare", "CE SHARE", p -> plain(p.ceShare()))
        .column(
            "loadBitsPerSecond",
            "LOAD Mbit/s",
            PortStatus::loadBitsPerSecond,
            p -> MegabitRate.rounded(p.loadBitsPerSecond()))
        .column(
            "unitShareBitsPerSecond",
            "UNIT SHARE Mbit/s",
            p -> orNone(p.unitShareBitsPerSecond()),
            p ->
                p.unitShareBitsPerSecond() == 0
                    ? null
                    : MegabitRate.rounded(p.unitShareBitsPerSecond()))
        .column("activeEndpoints", "ACTIVE", PortStatus::activeEndpoints)
        .column("activeWeight", "WEIGHT", p -> plain(p.activeWeight()))
        .column(
            "floorScale",
            "PART OF FLOORS",
            p -> plain(p.floorScale()),
            p -> p.floorScale() < 1 ? plain(p.floorScale()) : null)
        .jsonColumn(
            "scaledTenants",
            p -> p.scaledTenants().stream().map(TenantId::name).collect(Collectors.toList()))
        .column(
            "countersFrom",
            "COUNTERS FROM",
            p ->
                sources
                    .getOrDefault(p.id().datapath(), CounterSource.NONE)
                    .name()
                    .toLowerCase(Locale.ROOT));
  }

  private static String promiseText(FlowStatus flow) {
    return flow.promiseLost() ? "lost" : flow.promised() ? "yes" : "no";
  }

  private static String sourceText(FlowStatus flow) {
    return FlowSyntax.end(flow.flow().source(), flow.flow().sourcePort());
  }

  private static String destinationText(FlowStatus flow) {
    return FlowSyntax.end(flow.flow().destination(), flow.flow().destinationPort());
  }

  private static List<Map<String, Object>> limits(Endpoint endpoint) {
    List<Map<String, Object>> limits = new ArrayList<>();
    for (PortLimit limit : endpoint.limits()) {
      Map<String, Object> named = new LinkedHashMap<>();
      named.put("port", limit.port().toString());
      named.put("rateBitsPerSecond", limit.rateBitsPerSecond());
      named.put("ceShare", plain(limit.ceShare()));
      limits.add(named);
    }
    return limits;
  }

  private static List<String> limitTexts(Endpoint endpoint, Function<PortId, String> label) {
    return endpoint.limits().stream()
        .map(
            limit ->
                MegabitRate.rounded(limit.rateBitsPerSecond()) + " at " + label.apply(limit.port()))
        .collect(Collectors.toList());
  }

  private static List<String> ips(Endpoint endpoint) {
    return endpoint.ips().stream().sorted().map(String::valueOf).collect(Collectors.toList());
  }

  private static List<String> ipTexts(Endpoint endpoint) {
    List<String> texts = ips(endpoint);
    endpoint.refusedIps().keySet().forEach(ip -> texts.add(ip + " (refused)"));
    return texts;
  }

  private static List<String> switchPorts(Host host, Function<PortId, String> label) {
    return host.switchPorts().stream().map(label).collect(Collectors.toList());
  }

  /** 0 stands for none. */
  static Long orNone(long bitsPerSecond) {
    return bitsPerSecond == 0 ? null : bitsPerSecond;
  }

  /** A number to four decimals, without needless ones. */
  static BigDecimal plain(double value) {
    BigDecimal rounded =
        BigDecimal.valueOf(value).setScale(DECIMALS, RoundingMode.HALF_UP).stripTrailingZeros();
    return rounded.scale() < 0 ? rounded.setScale(0) : rounded;
  }
}
