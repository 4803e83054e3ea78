// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.platform;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.sluice.api.IpAddress;
import org.sluice.core.spi.Epoch;
import org.sluice.forwarding.spi.Group;
import org.sluice.forwarding.spi.GroupTable;
import org.sluice.forwarding.spi.Match;
import org.sluice.forwarding.spi.Meter;
import org.sluice.forwarding.spi.MeterTable;
import org.sluice.forwarding.spi.Rule;
import org.sluice.forwarding.spi.RuleTable;
import org.sluice.forwarding.spi.Treatment;
import org.sluice.forwarding.virtual.StoredRule;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.network.Forwarder;
import org.sluice.sim.network.Port;
import org.sluice.sim.network.Switch;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.Protocol;
import org.sluice.sim.shim.host.Addresses;

/**
 * Rules, meters and groups of the network's switches, which forward by them. What is sent to a
 * switch is there at once, and the platform knows it. A packet is IPv4, and of none that the
 * controller receives; its level is no DSCP.
 */
final class FlowTables implements RuleTable {
  private static final int IPV4 = 0x0800;
  private static final int FIRST_TABLE = 0;

  private final Addresses addresses;
  private final Scheduler scheduler;
  private final Map<String, Tables> switches = new LinkedHashMap<>();
  private final Map<Rule.Key, Long> cookies = new HashMap<>();
  private final Meters meters = new Meters();
  private final Groups groups = new Groups();
  private long lastId;

  /** Has every switch that the network has now forward by its tables, which are empty. */
  FlowTables(SwitchNames names, Addresses addresses, Scheduler scheduler) {
    this.addresses = addresses;
    this.scheduler = scheduler;
    for (String datapath : names.datapaths()) {
      Tables tables = new Tables(names.switchOf(datapath));
      switches.put(datapath, tables);
      tables.at.setForwarder(tables);
    }
  }

  MeterTable meters() {
    return meters;
  }

  GroupTable groups() {
    return groups;
  }

  /** The rates of a switch's meters now, kbit/s. */
  List<Long> meterRates(String datapath) {
    return switches.get(datapath).meters.values().stream()
        .map(made -> Math.round(made.bucket.rateBitsPerSecond() / 1e3))
        .toList();
  }

  @Override
  public Collection<? extends Entry> entries(String datapath) {
    return List.copyOf(switches.get(datapath).rules.values());
  }

  @Override
  public void apply(Collection<Rule> add, Collection<? extends Entry> remove) {
    remove.forEach(entry -> remove(((StoredRule) entry).rule()));
    add.forEach(rule -> switches.get(rule.datapath()).put(rule));
  }

  private void remove(Rule rule) {
    switches.get(rule.datapath()).removeIf(stored -> stored.rule().key().equals(rule.key()));
  }

  @Override
  public void removeAll() {
    switches.values().forEach(tables -> tables.removeIf(rule -> true));
  }

  @Override
  public CompletableFuture<Boolean> removeUnknown(Collection<Rule> unknown) {
    unknown.forEach(this::remove);
    return CompletableFuture.completedFuture(true);
  }

  @Override
  public long cookie(Rule rule) {
    return cookies.computeIfAbsent(rule.key(), key -> cookies.size() + 1L);
  }

  /** A meter on its switch. */
  private static final class MadeMeter {
    final long kilobitsPerSecond;
    final long madeNanos;
    org.sluice.sim.network.Meter bucket;

    MadeMeter(long kilobitsPerSecond, long burstKilobits, long madeNanos) {
      this.kilobitsPerSecond = kilobitsPerSecond;
      this.madeNanos = madeNanos;
      bucket = bucket(kilobitsPerSecond, burstKilobits);
    }

    static org.sluice.sim.network.Meter bucket(long kilobitsPerSecond, long burstKilobits) {
      return new org.sluice.sim.network.Meter(kilobitsPerSecond * 1e3, burstKilobits * 1e3);
    }
  }

  /** A group on its switch. */
  private record MadeGroup(String name, long id, List<Long> ports) {}

  /** What one switch holds. */
  private final class Tables implements Forwarder {
    private static final Comparator<StoredRule> HIGHEST_FIRST =
        Comparator.comparingInt(stored -> -stored.rule().priority());

    final Switch at;
    final Map<Rule.Key, StoredRule> rules = new LinkedHashMap<>();
    final Map<Long, MadeMeter> meters = new TreeMap<>();
    final Map<Long, MadeGroup> groups = new TreeMap<>();

    /** By table. */
    private final Map<Integer, List<StoredRule>> standing = new HashMap<>();

    Tables(Switch at) {
      this.at = at;
    }

    void put(Rule rule) {
      Treatment steps = rule.treatment();
      boolean stands =
          (steps.meter().isEmpty() || meters.containsKey(steps.meter().getAsLong()))
              && (steps.group().isEmpty() || groups.containsKey(steps.group().getAsLong()));
      rules.put(rule.key(), new StoredRule(rule, stands ? State.CONFIRMED : State.REFUSED));
      order();
    }

    void removeIf(Predicate<StoredRule> unwanted) {
      rules.values().removeIf(unwanted);
      order();
    }

    private void order() {
      standing.clear();
      for (StoredRule stored : rules.values()) {
        if (stored.state() == State.CONFIRMED) {
          standing.computeIfAbsent(stored.rule().table(), t -> new ArrayList<>()).add(stored);
        }
      }
      standing.values().forEach(table -> table.sort(HIGHEST_FIRST));
    }

    @Override
    public Port egress(Packet packet, int inPort, long nowNanos) {
      OptionalInt table = OptionalInt.of(FIRST_TABLE);
      while (table.isPresent()) {
        StoredRule rule = first(table.getAsInt(), packet, inPort);
        if (rule == null) {
          return null;
        }
        rule.setPackets(rule.packets() + 1);
        Treatment steps = rule.rule().treatment();
        if (steps.meter().isPresent()
            && !meters.get(steps.meter().getAsLong()).bucket.admits(packet, nowNanos)) {
          return null;
        }
        if (steps.group().isPresent()) {
          List<Long> equal = groups.get(steps.group().getAsLong()).ports();
          return port(equal.get(at.pick(packet.flowHash, equal.size())));
        }
        for (long out : steps.outputs()) {
          if (out != Treatment.CONTROLLER) {
            return port(out);
          }
        }
        table = steps.gotoTable();
      }
      return null;
    }

    private Port port(long number) {
      return at.ports().get((int) number);
    }

    private StoredRule first(int table, Packet packet, int inPort) {
      for (StoredRule stored : standing.getOrDefault(table, List.of())) {
        if (matches(stored.rule().match(), packet, inPort)) {
          return stored;
        }
      }
      return null;
    }
  }

  private boolean matches(Match match, Packet packet, int inPort) {
    boolean isTcp = packet.protocol == Protocol.TCP;
    return match.inPort().orElse(inPort) == inPort
        && match.ethType().orElse(IPV4) == IPV4
        && match.ipProto().orElse(packet.protocol) == packet.protocol
        && match.ipEcn().orElse(packet.ecn) == packet.ecn
        && matches(match.ipSrc(), packet.source)
        && matches(match.ipDst(), packet.destination)
        && match.ethSrc().map(addresses.mac(packet.source)::equals).orElse(true)
        && matches(match.tcpSrc(), isTcp, packet.sourcePort)
        && matches(match.tcpDst(), isTcp, packet.destinationPort)
        && match.ipDscp().isEmpty()
        && match.icmpv6Type().isEmpty();
  }

  private boolean matches(Optional<IpAddress> ip, int endpoint) {
    return ip.isEmpty() || ip.get().equals(addresses.ip(endpoint));
  }

  private static boolean matches(OptionalInt wanted, boolean isTcp, int port) {
    return wanted.isEmpty() || isTcp && wanted.getAsInt() == port;
  }

  private final class Meters implements MeterTable {
    private final Epoch epoch = new Epoch();
    private BiConsumer<String, Long> refusalListener = (datapath, meter) -> {};

    @Override
    public Epoch epoch() {
      return epoch;
    }

    @Override
    public Collection<Meter> meters(String datapath) {
      List<Meter> all = new ArrayList<>();
      switches
          .get(datapath)
          .meters
          .forEach(
              (id, made) ->
                  all.add(
                      Meter.of(
                          id,
                          made.kilobitsPerSecond,
                          true,
                          TimeUnit.NANOSECONDS.toSeconds(scheduler.now() - made.madeNanos))));
      return all;
    }

    @Override
    public long add(
        String datapath, long kilobitsPerSecond, long burstKilobits, Consumer<String> refused) {
      long id = ++lastId;
      switches
          .get(datapath)
          .meters
          .put(id, new MadeMeter(kilobitsPerSecond, burstKilobits, scheduler.now()));
      epoch.advance();
      return id;
    }

    @Override
    public void remove(String datapath, long meter) {
      Tables tables = switches.get(datapath);
      tables.removeIf(stored -> stored.rule().treatment().meter().orElse(0) == meter);
      tables.meters.remove(meter);
      epoch.advance();
    }

    @Override
    public boolean change(String datapath, long meter, long kilobitsPerSecond, long burstKilobits) {
      MadeMeter made = switches.get(datapath).meters.get(meter);
      if (made == null) {
        refusalListener.accept(datapath, meter);
      } else {
        made.bucket = MadeMeter.bucket(kilobitsPerSecond, burstKilobits);
      }
      return true;
    }

    @Override
    public void setRefusalListener(BiConsumer<String, Long> listener) {
      refusalListener = listener;
    }
  }

  private final class Groups implements GroupTable {
    private final Epoch epoch = new Epoch();

    @Override
    public Epoch epoch() {
      return epoch;
    }

    @Override
    public Collection<Group> groups(String datapath) {
      return switches.get(datapath).groups.values().stream()
          .map(made -> Group.of(made.name(), made.id(), true))
          .toList();
    }

    @Override
    public Optional<Group> group(String datapath, String name) {
      return groups(datapath).stream().filter(group -> group.name().equals(name)).findFirst();
    }

    @Override
    public void add(String datapath, String name, List<Long> ports) {
      long id = ++lastId;
      switches.get(datapath).groups.put(id, new MadeGroup(name, id, List.copyOf(ports)));
      epoch.advance();
    }

    @Override
    public void remove(String datapath, String name) {
      group(datapath, name)
          .ifPresent(
              group -> {
                Tables tables = switches.get(datapath);
                tables.removeIf(
                    stored -> stored.rule().treatment().group().orElse(0) == group.id());
                tables.groups.remove(group.id());
                epoch.advance();
              });
    }
  }
}
