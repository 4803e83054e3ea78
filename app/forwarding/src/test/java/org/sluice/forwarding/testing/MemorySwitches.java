// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.testing;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.sluice.core.spi.Epoch;
import org.sluice.core.testing.Samples;
import org.sluice.forwarding.spi.Group;
import org.sluice.forwarding.spi.GroupTable;
import org.sluice.forwarding.spi.LateSwitchException;
import org.sluice.forwarding.spi.Meter;
import org.sluice.forwarding.spi.MeterTable;
import org.sluice.forwarding.spi.Rule;
import org.sluice.forwarding.spi.RuleTable;
import org.sluice.forwarding.virtual.StoredRule;

/**
 * OpenFlow switches in memory, and a platform's stores of their rules, meters and groups. The
 * stores know what switches have by {@link #poll} alone; a rule with a meter or group that is not
 * there is refused, and taking a meter or group away takes its rules along.
 */
public final class MemorySwitches implements RuleTable, TablesUnderTest {
  /** Switches of which the platform does not know in time what they hold. */
  public final Set<String> late = new HashSet<>();

  /** What one switch holds. */
  private static final class Tables {
    final Map<Rule.Key, Rule> rules = new LinkedHashMap<>();
    final Map<Rule.Key, Long> packets = new HashMap<>();
    final Map<Long, MeterState> meters = new TreeMap<>();
    final Map<Long, String> groups = new TreeMap<>();
  }

  /** A meter on a switch. */
  private static final class MeterState {
    final long kilobitsPerSecond;
    final long burstKilobits;
    long lifeSeconds;

    MeterState(long kilobitsPerSecond, long burstKilobits) {
      this.kilobitsPerSecond = kilobitsPerSecond;
      this.burstKilobits = burstKilobits;
    }
  }

  /** What the platform knows of one switch. */
  private static final class Store {
    final Map<Rule.Key, StoredRule> rules = new LinkedHashMap<>();
    final Map<Long, Meter> meters = new TreeMap<>();
    final Map<Long, MeterState> made = new HashMap<>();
    final Map<String, Group> groups = new TreeMap<>();
  }

  private final Predicate<String> isConnected;
  private final Predicate<String> isMaster;
  private final Map<String, Tables> switches = new TreeMap<>();
  private final Map<String, Store> stores = new TreeMap<>();
  private final Map<Rule.Key, Long> cookies = new HashMap<>();
  private final Map<String, Integer> modifications = new HashMap<>();
  private final Map<String, Integer> rateChanges = new HashMap<>();
  private final Map<String, Integer> space = new HashMap<>();
  private BiConsumer<String, Long> refusalListener = (datapath, meter) -> {};
  private long lastId;
  private int refused;

  /** Whether a meter's rate can be changed. */
  private boolean changesMeters = true;

  public final Meters meters = new Meters();
  public final Groups groups = new Groups();

  MemorySwitches(Predicate<String> isConnected, Predicate<String> isMaster) {
    this.isConnected = isConnected;
    this.isMaster = isMaster;
  }

  // ------------------------------------------------------------ what a test does

  @Override
  public void setMeterSpace(String name, int meterCount) {
    space.put(Samples.datapath(name), meterCount);
  }

  @Override
  public void forget(String name) {
    switches.remove(Samples.datapath(name));
  }

  @Override
  public void loseMeter(String name, long meter) {
    tables(Samples.datapath(name)).meters.remove(meter);
  }

  @Override
  public void forgetStoredRules() {
    stores.values().forEach(store -> store.rules.clear());
  }

  @Override
  public void poll() {
    for (String datapath : List.copyOf(stores.keySet())) {
      if (isConnected.test(datapath)) {
        pollRules(datapath);
        pollMeters(datapath);
        pollGroups(datapath);
      }
    }
    meters.epoch.advance();
    groups.epoch.advance();
  }

  private void pollRules(String datapath) {
    Tables tables = tables(datapath);
    for (StoredRule stored : List.copyOf(store(datapath).rules.values())) {
      if (stored.state() == State.LEAVING) {
        tables.rules.remove(stored.rule().key());
        store(datapath).rules.remove(stored.rule().key());
      } else if (stored.rule().equals(tables.rules.get(stored.rule().key())) || send(stored)) {
        stored.setState(State.CONFIRMED);
        stored.setPackets(tables.packets.getOrDefault(stored.rule().key(), 0L));
      }
    }
  }

  private void pollMeters(String datapath) {
    Tables tables = tables(datapath);
    Store store = store(datapath);
    tables.meters.keySet().retainAll(store.meters.keySet());
    store.meters.replaceAll(
        (id, meter) -> {
          MeterState first = store.made.get(id);
          MeterState on =
              tables.meters.computeIfAbsent(
                  id, i -> new MeterState(first.kilobitsPerSecond, first.burstKilobits));
          return Meter.of(id, meter.kilobitsPerSecond(), true, ++on.lifeSeconds);
        });
  }

  private void pollGroups(String datapath) {
    Tables tables = tables(datapath);
    Store store = store(datapath);
    store.groups.replaceAll(
        (name, group) -> {
          tables.groups.put(group.id(), name);
          return Group.of(name, group.id(), true);
        });
    tables.groups.values().retainAll(store.groups.keySet());
  }

  /** Packets match the rules whose text contains this, between two polls. */
  public void carry(String name, String text, long packets) {
    Tables tables = tables(Samples.datapath(name));
    tables.rules.forEach(
        (key, rule) -> {
          if (RuleText.of(rule).contains(text)) {
            tables.packets.merge(key, packets, Long::sum);
          }
        });
  }

  @Override
  public List<String> rules(String name) {
    List<String> texts = new ArrayList<>();
    tables(Samples.datapath(name)).rules.values().forEach(rule -> texts.add(RuleText.of(rule)));
    texts.sort(null);
    return texts;
  }

  /** The one rule of a switch with a priority. */
  Optional<Rule> rule(String name, int priority) {
    return tables(Samples.datapath(name)).rules.values().stream()
        .filter(rule -> rule.priority() == priority)
        .findFirst();
  }

  @Override
  public int modifications(String name) {
    return modifications.getOrDefault(Samples.datapath(name), 0);
  }

  @Override
  public int rateChanges(String name) {
    return rateChanges.getOrDefault(Samples.datapath(name), 0);
  }

  @Override
  public void setChangesMeters(boolean value) {
    changesMeters = value;
  }

  @Override
  public int refused() {
    return refused;
  }

  @Override
  public int meterCount(String name) {
    return tables(Samples.datapath(name)).meters.size();
  }

  public int groupCount(String name) {
    return tables(Samples.datapath(name)).groups.size();
  }

  @Override
  public List<Long> meterRates(String name) {
    List<Long> rates = new ArrayList<>();
    tables(Samples.datapath(name)).meters.values().forEach(m -> rates.add(m.kilobitsPerSecond));
    return rates;
  }

  @Override
  public List<Long> meterBursts(String name) {
    List<Long> bursts = new ArrayList<>();
    tables(Samples.datapath(name)).meters.values().forEach(m -> bursts.add(m.burstKilobits));
    return bursts;
  }

  @Override
  public long meterRate(String name, long meter) {
    return tables(Samples.datapath(name)).meters.get(meter).kilobitsPerSecond;
  }

  // ------------------------------------------------------------ what the platform offers

  private Tables tables(String datapath) {
    return switches.computeIfAbsent(datapath, d -> new Tables());
  }

  private Store store(String datapath) {
    return stores.computeIfAbsent(datapath, d -> new Store());
  }

  @Override
  public Collection<? extends Entry> entries(String datapath) {
    if (late.contains(datapath)) {
      throw new LateSwitchException(datapath);
    }
    return List.copyOf(store(datapath).rules.values());
  }

  @Override
  public void apply(Collection<Rule> add, Collection<? extends Entry> remove) {
    for (Rule rule : add) {
      StoredRule stored = new StoredRule(rule, State.SENT);
      store(rule.datapath()).rules.put(rule.key(), stored);
      modifications.merge(rule.datapath(), 1, Integer::sum);
      if (isConnected.test(rule.datapath()) && !send(stored)) {
        stored.setState(State.REFUSED);
      }
    }
    remove.forEach(entry -> takeBack(((StoredRule) entry)));
  }

  private boolean send(StoredRule stored) {
    Tables tables = tables(stored.rule().datapath());
    boolean hasMeter =
        stored.rule().treatment().meter().isEmpty()
            || tables.meters.containsKey(stored.rule().treatment().meter().getAsLong());
    boolean hasGroup =
        stored.rule().treatment().group().isEmpty()
            || tables.groups.containsKey(stored.rule().treatment().group().getAsLong());
    if (hasMeter && hasGroup) {
      tables.rules.put(stored.rule().key(), stored.rule());
      return true;
    }
    refused++;
    return false;
  }

  private void takeBack(StoredRule stored) {
    String datapath = stored.rule().datapath();
    modifications.merge(datapath, 1, Integer::sum);
    if (isConnected.test(datapath)) {
      tables(datapath).rules.remove(stored.rule().key());
      store(datapath).rules.remove(stored.rule().key());
    } else {
      stored.setState(State.LEAVING);
    }
  }

  @Override
  public void removeAll() {
    stores.values().forEach(store -> List.copyOf(store.rules.values()).forEach(this::takeBack));
  }

  @Override
  public CompletableFuture<Boolean> removeUnknown(Collection<Rule> unknown) {
    for (Rule rule : unknown) {
      modifications.merge(rule.datapath(), 1, Integer::sum);
      if (!isConnected.test(rule.datapath())) {
        return CompletableFuture.completedFuture(false);
      }
      tables(rule.datapath()).rules.remove(rule.key());
    }
    return CompletableFuture.completedFuture(true);
  }

  @Override
  public long cookie(Rule rule) {
    return cookies.computeIfAbsent(rule.key(), key -> cookies.size() + 1L);
  }

  /** The platform's meters. */
  public final class Meters implements MeterTable {
    private final Epoch epoch = new Epoch();

    @Override
    public Epoch epoch() {
      return epoch;
    }

    @Override
    public Collection<Meter> meters(String datapath) {
      return List.copyOf(store(datapath).meters.values());
    }

    @Override
    public long add(
        String datapath, long kilobitsPerSecond, long burstKilobits, Consumer<String> refusal) {
      int most = space.getOrDefault(datapath, Integer.MAX_VALUE);
      if (most == 0) {
        throw new IllegalStateException("no meters");
      }
      long id = ++lastId;
      if (tables(datapath).meters.size() >= most) {
        refusal.accept("OUT_OF_METERS");
        return id;
      }
      MeterState state = new MeterState(kilobitsPerSecond, burstKilobits);
      store(datapath).made.put(id, state);
      store(datapath).meters.put(id, Meter.of(id, kilobitsPerSecond, false, 0));
      if (isConnected.test(datapath)) {
        tables(datapath).meters.put(id, new MeterState(kilobitsPerSecond, burstKilobits));
      }
      epoch.advance();
      return id;
    }

    @Override
    public void remove(String datapath, long meter) {
      store(datapath).meters.remove(meter);
      if (isConnected.test(datapath)) {
        tables(datapath).meters.remove(meter);
        tables(datapath)
            .rules
            .values()
            .removeIf(rule -> rule.treatment().meter().orElse(0) == meter);
      }
      epoch.advance();
    }

    @Override
    public boolean change(String datapath, long meter, long kilobitsPerSecond, long burstKilobits) {
      if (!isConnected.test(datapath) || !isMaster.test(datapath)) {
        return false;
      }
      rateChanges.merge(datapath, 1, Integer::sum);
      boolean isThere = tables(datapath).meters.containsKey(meter);
      if (isThere && changesMeters) {
        tables(datapath).meters.put(meter, new MeterState(kilobitsPerSecond, burstKilobits));
      } else {
        refusalListener.accept(datapath, meter);
      }
      return true;
    }

    @Override
    public void setRefusalListener(BiConsumer<String, Long> listener) {
      refusalListener = listener;
    }
  }

  /** The platform's groups. */
  public final class Groups implements GroupTable {
    private final Epoch epoch = new Epoch();

    @Override
    public Epoch epoch() {
      return epoch;
    }

    @Override
    public Collection<Group> groups(String datapath) {
      return List.copyOf(store(datapath).groups.values());
    }

    @Override
    public Optional<Group> group(String datapath, String name) {
      return Optional.ofNullable(store(datapath).groups.get(name));
    }

    @Override
    public void add(String datapath, String name, List<Long> ports) {
      Group group = Group.of(name, ++lastId, false);
      store(datapath).groups.put(name, group);
      if (isConnected.test(datapath)) {
        tables(datapath).groups.put(group.id(), name);
      }
      epoch.advance();
    }

    @Override
    public void remove(String datapath, String name) {
      Group group = store(datapath).groups.remove(name);
      if (group != null && isConnected.test(datapath)) {
        tables(datapath).groups.remove(group.id());
        tables(datapath)
            .rules
            .values()
            .removeIf(rule -> rule.treatment().group().orElse(0) == group.id());
      }
      epoch.advance();
    }
  }
}
