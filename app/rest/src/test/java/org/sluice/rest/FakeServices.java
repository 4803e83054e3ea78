// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.sluice.api.CertificateService;
import org.sluice.api.DoctorService;
import org.sluice.api.Endpoint;
import org.sluice.api.EndpointId;
import org.sluice.api.EndpointMetadata;
import org.sluice.api.EndpointService;
import org.sluice.api.EndpointTraffic;
import org.sluice.api.Expectation;
import org.sluice.api.Finding;
import org.sluice.api.Host;
import org.sluice.api.HostAdminService;
import org.sluice.api.HostDirectory;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.JournalEntry;
import org.sluice.api.JournalQuery;
import org.sluice.api.JournalService;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;
import org.sluice.api.PortLimit;
import org.sluice.api.PortService;
import org.sluice.api.PortStatus;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantAdminService;
import org.sluice.api.TenantId;
import org.sluice.api.TenantRateService;
import org.sluice.api.TenantRates;
import org.sluice.api.TenantSetChange;
import org.sluice.api.access.Caller;
import org.sluice.api.cluster.ClusterService;
import org.sluice.api.cluster.ClusterStatus;
import org.sluice.api.cluster.NodeStatus;
import org.sluice.api.counters.CounterService;
import org.sluice.api.counters.CounterSource;
import org.sluice.api.counters.SwitchCounters;
import org.sluice.api.deadline.FlowAdminService;
import org.sluice.api.deadline.FlowService;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.history.PortMoment;
import org.sluice.api.history.RateHistoryService;
import org.sluice.api.history.RateMoment;
import org.sluice.api.policy.PolicyService;
import org.sluice.api.queue.QueueService;
import org.sluice.api.topology.Attachment;
import org.sluice.api.topology.NetworkTopology;
import org.sluice.api.topology.SwitchLink;
import org.sluice.api.topology.SwitchStatus;
import org.sluice.api.topology.TopologyService;
import org.sluice.api.why.Explanation;
import org.sluice.api.why.ExplanationService;
import org.sluice.api.why.FlowExplanation;
import org.sluice.api.why.FlowPort;
import org.sluice.api.why.PortReason;
import org.sluice.api.why.PortUserStatus;

/** The services in memory, with one of everything. The stream reads them while tests write. */
final class FakeServices implements Services {
  static final String PORT_NAME = "leaf1:eth5";
  static final PortId PORT = PortId.parse("of:0000000000000001/5");
  static final EndpointId ENDPOINT = EndpointId.of(HostId.of("h1"), "vm0");
  static final Finding SLOW =
      Finding.of(
          Finding.Severity.WARNING, PORT.datapath(), "It is slow", "sluice-switch-setup br0");
  static final long MOST_GUARANTEED = 45_000_000;

  final Map<TenantId, Tenant> tenants = new ConcurrentSkipListMap<>();
  final List<JournalEntry> journal = new CopyOnWriteArrayList<>();
  final FakeFlows flows = new FakeFlows();
  final FakeQueues queues = new FakeQueues();
  final FakePolicies policies = new FakePolicies();

  volatile Endpoint endpoint =
      Endpoint.of(
              ENDPOINT,
              MacAddress.parse("02:00:00:00:01:01"),
              Set.of(IpAddress.parse("10.0.0.9"), IpAddress.parse("10.0.0.1")),
              TenantId.DEFAULT,
              Optional.of(PORT),
              50_000_000,
              List.of(
                  PortLimit.of(PORT, 12_500_000, 1 / 3.0),
                  PortLimit.of(PortId.parse("of:0000000000000002/1"), 20_000_000, 0)),
              EndpointTraffic.of(12_100_000, 3000, 5, true))
          .withRefusedIps(Map.of(IpAddress.parse("10.0.0.7"), "h2/vm0 holds it"))
          .withMetadata(
              EndpointMetadata.builder()
                  .bridge(Optional.of("br0"))
                  .vlan(Optional.of(100))
                  .domain(Optional.of("web1"))
                  .network(Optional.of("blue"))
                  .namespace(Optional.of("shop"))
                  .pod(Optional.of("web-0"))
                  .labels(Map.of("app", "web"))
                  .build());

  /** Further endpoints; none at first. */
  final List<Endpoint> others = new CopyOnWriteArrayList<>();

  PortStatus port =
      PortStatus.builder(PORT)
          .name(Optional.of(PORT_NAME))
          .capacityBitsPerSecond(50_000_000)
          .capacitySource(PortStatus.CapacitySource.CONFIGURED)
          .congested(true)
          .marksFrom(PortStatus.MarkSource.HOSTS)
          .ceShare(1 / 3.0)
          .loadBitsPerSecond(49_123_456)
          .carriedBytes(7_000_000_000L)
          .unitShareBitsPerSecond(12_500_000)
          .activeEndpoints(4)
          .activeWeight(4)
          .floorScale(0.75)
          .scaledTenants(List.of(TenantId.of("red")))
          .build();

  volatile NetworkTopology topology =
      NetworkTopology.of(
          List.of(
              SwitchStatus.of(PORT.datapath(), "leaf1", true, OptionalInt.of(0)),
              SwitchStatus.of("of:0000000000000002", "spine1", false, OptionalInt.of(1)),
              SwitchStatus.of("of:0000000000000003", "lost", false, OptionalInt.empty())),
          List.of(SwitchLink.of(PORT, PortId.parse("of:0000000000000002/1"))),
          List.of(
              Attachment.of(Optional.of(HostId.of("h1")), PortId.of(PORT.datapath(), 1)),
              Attachment.of(Optional.empty(), PortId.of(PORT.datapath(), 2))));

  Host host =
      Host.builder(HostId.of("h1"))
          .agentVersion("1.2.3")
          .connected(true)
          .uplink("up0")
          .uplinkCapacityBitsPerSecond(50_000_000)
          .lastSeen(Instant.ofEpochSecond(7))
          .endpointCount(1)
          .missingFeatures(List.of("tcx: slower attach"))
          .residualDroppedPackets(7)
          .residualExceededBy(List.of("vm0"))
          .certificateNotAfter(Optional.of(Instant.ofEpochSecond(5_000)))
          .build();

  /** A concurrent change: run once, right after a tenant was read. */
  Runnable meanwhile = () -> {};

  /** Why the cluster's store does not answer; empty: it does. */
  String storeFault = "";

  private final Map<Class<?>, Object> services = new ConcurrentHashMap<>();

  FakeServices() {
    try {
      tenants.put(TenantId.DEFAULT, Tenant.builder(TenantId.DEFAULT).build());
    } catch (SluiceException e) {
      throw new AssertionError(e);
    }
    for (int i = 0; i < 5; i++) {
      journal.add(
          0,
          JournalEntry.of(
                  i,
                  Instant.ofEpochSecond(i),
                  JournalEntry.Kind.UNIT_SHARE,
                  "sluice",
                  i % 2 == 0 ? Optional.of(PORT) : Optional.empty(),
                  Optional.empty(),
                  i == 3 ? Optional.of(TenantId.of("red")) : Optional.empty(),
                  "decision " + i,
                  "evidence " + i)
              .withPortName(i % 2 == 0 ? Optional.of(PORT_NAME) : Optional.empty()));
    }
    services.put(TenantAdminService.class, new Tenants());
    services.put(
        TenantRateService.class,
        (TenantRateService)
            id ->
                TenantRates.of(
                    30_000_000,
                    20_987_654,
                    9_000_000_000L,
                    Map.of(ENDPOINT, Set.of(IpAddress.parse("10.0.0.7"))),
                    Map.of(PORT, 0.75)));
    services.put(FlowAdminService.class, flows);
    services.put(FlowService.class, flows);
    services.put(QueueService.class, queues);
    services.put(PolicyService.class, policies);
    services.put(EndpointService.class, new Endpoints());
    services.put(PortService.class, new Ports());
    services.put(
        RateHistoryService.class,
        (RateHistoryService)
            seconds ->
                List.of(
                    RateMoment.of(
                        Instant.ofEpochSecond(9),
                        Map.of(TenantId.of("red"), 30_000_000L, TenantId.DEFAULT, 5_000_000L),
                        List.of(
                            PortMoment.of(
                                PORT,
                                50_000_000,
                                49_123_456,
                                Map.of(TenantId.of("red"), 30_000_000L, TenantId.DEFAULT, 5L),
                                Map.of(TenantId.of("red"), 25_000_000L))))));
    services.put(TopologyService.class, (TopologyService) () -> topology);
    services.put(ExplanationService.class, new Explanations());
    services.put(HostDirectory.class, new Hosts());
    services.put(HostAdminService.class, new Hosts());
    services.put(JournalService.class, (JournalService) this::entries);
    services.put(DoctorService.class, (DoctorService) () -> List.of(SLOW));
    services.put(ClusterService.class, new Cluster());
    services.put(CounterService.class, new Counters());
    services.put(CertificateService.class, new Certificates());
  }

  /** Two nodes, of which one is silent. */
  private final class Cluster implements ClusterService {
    @Override
    public ClusterStatus status() {
      NodeStatus here =
          NodeStatus.builder("c1")
              .local(true)
              .state(NodeStatus.State.RUNNING)
              .version("1.0.0")
              .leads(true)
              .switches(List.of("of:0000000000000001"))
              .build();
      NodeStatus other =
          NodeStatus.builder("c2").state(NodeStatus.State.SILENT).silentSeconds(40).build();
      return ClusterStatus.of(List.of(here, other), storeFault);
    }

    @Override
    public String storeFault() {
      return storeFault;
    }
  }

  @Override
  public <T> Optional<T> find(Class<T> service) {
    return Optional.ofNullable(service.cast(services.get(service)));
  }

  void withdraw(Class<?> service) {
    services.remove(service);
  }

  void withdrawAll() {
    services.clear();
  }

  <T> void replace(Class<T> service, T by) {
    services.put(service, by);
  }

  private static final class Counters implements CounterService {
    @Override
    public OptionalInt listenPort() {
      return OptionalInt.of(6654);
    }

    @Override
    public List<SwitchCounters> switches() {
      return List.of(SwitchCounters.builder(PORT.datapath()).source(CounterSource.FAST).build());
    }
  }

  /** Held back by its port, beside one that the requester sees and two that nobody is named. */
  private final class Explanations implements ExplanationService {
    @Override
    public Explanation why(Endpoint endpoint, Caller caller) {
      return explain(endpoint, caller);
    }

    @Override
    public FlowExplanation why(FlowStatus flow, Caller caller) {
      FlowPort.Builder place =
          FlowPort.builder(FlowPort.Kind.PORT)
              .port(Optional.of(PORT))
              .portName(Optional.of(PORT_NAME))
              .capacityBitsPerSecond(50_000_000)
              .promisableBitsPerSecond(OptionalLong.of(42_500_000))
              .flowsBefore(OptionalInt.of(3))
              .bytesBefore(OptionalLong.of(1_200_000))
              .totalWindowBytes(OptionalLong.of(75_000));
      return FlowExplanation.builder(flow)
          .cause(FlowExplanation.Cause.LATE)
          .neededBitsPerSecond(11_200_000)
          .windowBytes(OptionalLong.of(12_000))
          .earliestNanos(OptionalLong.of(450_000_000))
          .ports(List.of(caller.seen(place.build())))
          .summary("It is late.")
          .lines(List.of("There."))
          .journal(latest(caller))
          .build();
    }
  }

  private Explanation explain(Endpoint of, Caller caller) {
    PortUserStatus other =
        PortUserStatus.of(EndpointId.parse("h2/vm0"), TenantId.of("red"), 1.5, 20_000_000);
    PortReason reason =
        PortReason.builder(port)
            .binding(true)
            .limitBitsPerSecond(Optional.of(12_500_000L))
            .deliveredBitsPerSecond(12_000_000)
            .dueBitsPerSecond(Optional.of(12_500_000L))
            .dueByWeightBitsPerSecond(Optional.of(4_500_000L))
            .dueOfTwiceTheWeightBitsPerSecond(Optional.of(20_000_000L))
            .users(List.of(other))
            .furtherUsers(OptionalInt.of(2))
            .furtherBitsPerSecond(OptionalLong.of(17_000_000))
            .build();
    return Explanation.builder(of.id(), of.tenant())
        .tenantWeight(1)
        .cause(Explanation.Cause.PORT)
        .deliveredBitsPerSecond(12_000_000)
        .limitBitsPerSecond(12_500_000)
        .ports(List.of(caller.seen(reason)))
        .summary("It is held.")
        .lines(List.of("By this."))
        .journal(latest(caller))
        .build();
  }

  private List<JournalEntry> latest(Caller caller) {
    return journal.stream().filter(caller::sees).limit(1).collect(Collectors.toList());
  }

  private List<JournalEntry> entries(JournalQuery query) {
    return journal.stream()
        .filter(query::matches)
        .limit(query.limit())
        .collect(Collectors.toList());
  }

  String lastAuthor = "";

  /** Whether a change of tenants would have addresses refused; until it is allowed. */
  boolean refusesAddresses;

  private final class Tenants implements TenantAdminService {
    @Override
    public TenantAdminService by(String author) {
      lastAuthor = author;
      return this;
    }

    @Override
    public TenantAdminService allowingRefusedAddresses() {
      refusesAddresses = false;
      return this;
    }

    @Override
    public List<Tenant> tenants() {
      return List.copyOf(tenants.values());
    }

    @Override
    public Optional<Tenant> tenant(TenantId id) {
      Optional<Tenant> read = Optional.ofNullable(tenants.get(id));
      runMeanwhile();
      return read;
    }

    @Override
    public Tenant change(TenantId id, Change change) throws SluiceException {
      while (true) {
        Optional<Tenant> present = Optional.ofNullable(tenants.get(id));
        Tenant changed = change.apply(present);
        runMeanwhile();
        if (present.equals(Optional.ofNullable(tenants.get(id)))) {
          put(changed);
          return changed;
        }
      }
    }

    private void checkAddresses() throws SluiceException {
      if (refusesAddresses) {
        throw new SluiceException(
            SluiceException.Kind.UNCONFIRMED, "", "", "h1/vm0 would lose 10.0.0.1", "Allow it");
      }
    }

    private void runMeanwhile() {
      Runnable once = meanwhile;
      meanwhile = () -> {};
      once.run();
    }

    @Override
    public boolean put(Tenant tenant, Expectation<Tenant> expected) throws SluiceException {
      runMeanwhile();
      checkAddresses();
      expected.check(Optional.ofNullable(tenants.get(tenant.id())));
      if (tenant.guaranteeBitsPerSecond() > MOST_GUARANTEED) {
        throw SluiceException.conflict(
            "guaranteeBitsPerSecond",
            tenant.guaranteeBitsPerSecond(),
            "The guarantee exceeds 90 % of the uplink of host h1",
            "Guarantee at most 45 Mbit/s (45000000 bit/s)");
      }
      return tenants.put(tenant.id(), tenant) == null;
    }

    @Override
    public void create(Tenant tenant) throws SluiceException {
      if (tenants.containsKey(tenant.id())) {
        throw SluiceException.conflict(
            "id", tenant.id(), "There is such a tenant already", "PUT tenants/" + tenant.id());
      }
      put(tenant);
    }

    @Override
    public void remove(TenantId id, Expectation<Tenant> expected) throws SluiceException {
      checkAddresses();
      expected.check(Optional.ofNullable(tenants.get(id)));
      if (id.equals(TenantId.DEFAULT)) {
        throw SluiceException.conflict(
            "id", id, "The default tenant stays", "Remove other tenants");
      }
      if (tenants.remove(id) == null) {
        throw SluiceException.notFound("id", id, "There is no such tenant");
      }
    }

    @Override
    public TenantSetChange replaceAll(
        List<Tenant> all, Expectation<List<Tenant>> expected, boolean dryRun)
        throws SluiceException {
      expected.check(Optional.of(tenants()));
      List<SluiceException> refusals = new ArrayList<>();
      try {
        checkAddresses();
      } catch (SluiceException e) {
        refusals.add(e);
      }
      List<TenantId> removed = new ArrayList<>(tenants.keySet());
      for (int i = 0; i < all.size(); i++) {
        removed.remove(all.get(i).id());
        if (all.get(i).guaranteeBitsPerSecond() > MOST_GUARANTEED) {
          refusals.add(
              SluiceException.conflict(
                  "tenants[" + i + "].guaranteeBitsPerSecond",
                  all.get(i).guaranteeBitsPerSecond(),
                  "The guarantee exceeds 90 % of the uplink of host h1",
                  "Guarantee at most 45 Mbit/s (45000000 bit/s)"));
        }
      }
      if (!refusals.isEmpty()) {
        return TenantSetChange.refused(refusals);
      }
      List<TenantId> created = new ArrayList<>();
      all.forEach(tenant -> created.add(tenant.id()));
      if (!dryRun) {
        tenants.clear();
        all.forEach(tenant -> tenants.put(tenant.id(), tenant));
      }
      return TenantSetChange.of(created, List.of(), removed, List.of());
    }
  }

  private final class Endpoints implements EndpointService {
    @Override
    public List<Endpoint> endpoints() {
      List<Endpoint> all = new ArrayList<>(List.of(endpoint));
      all.addAll(others);
      return all;
    }

    @Override
    public Optional<Endpoint> endpoint(EndpointId id) {
      return endpoints().stream().filter(one -> one.id().equals(id)).findFirst();
    }

    @Override
    public Optional<Endpoint> endpoint(IpAddress ip) {
      return endpoints().stream().filter(one -> one.ips().contains(ip)).findFirst();
    }
  }

  private final class Ports implements PortService {
    @Override
    public List<PortStatus> ports() {
      return List.of(port);
    }

    @Override
    public Optional<PortStatus> port(PortId id) {
      return Optional.of(port).filter(one -> one.id().equals(id));
    }
  }

  private static final class Certificates implements CertificateService {
    @Override
    public Optional<Instant> certificateNotAfter() {
      return Optional.of(Instant.ofEpochSecond(6_000));
    }

    @Override
    public Optional<Instant> authorityNotAfter() {
      return Optional.of(Instant.ofEpochSecond(7_000));
    }
  }

  private final class Hosts implements HostDirectory, HostAdminService {
    @Override
    public void retire(HostId id, String author) throws SluiceException {
      if (host(id).isEmpty()) {
        throw SluiceException.notFound("host", id, "There is no such host");
      }
      if (host.connected()) {
        throw SluiceException.conflict("host", id, "Its agent is connected", "Stop it first");
      }
      lastAuthor = author;
    }

    @Override
    public List<Host> hosts() {
      return List.of(host);
    }

    @Override
    public Optional<Host> host(HostId id) {
      return Optional.of(host).filter(one -> one.id().equals(id));
    }
  }
}
