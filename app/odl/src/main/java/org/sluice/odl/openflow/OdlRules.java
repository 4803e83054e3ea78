// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.openflow;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.toList;

import com.google.common.hash.Hashing;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.forwarding.spi.Match;
import org.sluice.forwarding.spi.Rule;
import org.sluice.forwarding.spi.RuleTable;
import org.sluice.forwarding.spi.Treatment;
import org.sluice.odl.openflow.SwitchCalls.Flow;
import org.sluice.odl.openflow.SwitchCalls.Refusal;

/**
 * Rules by openflowplugin's flow service. What a switch has of an earlier life, or of the master
 * before, is known as soon as the switch was read; what it has lost is sent again.
 *
 * <p>Those that a platform needs itself, to see LLDP and ARP, stand in no list.
 */
final class OdlRules implements RuleTable {
  /** All cookies of ours begin so, whoever's they are. */
  static final long COOKIES = 0x51ce0000_00000000L;

  static final long COOKIES_MASK = 0xfffffffc_00000000L;

  private static final long RULE = 0x51ce0001_00000000L;
  private static final long PUNT = 0x51ce0002_00000000L;
  private static final long UPPER_HALF = 0xffffffff_00000000L;
  private static final long LOWER_HALF = 0x00000000_ffffffffL;

  private static final int PUNT_TABLE = 0;

  /** As ONOS has it; none of forwarding's is the same. */
  private static final int PUNT_PRIORITY = 40_000;

  private static final Treatment TO_CONTROLLER = Treatment.output(Treatment.CONTROLLER);
  private static final Logger log = LoggerFactory.getLogger(OdlRules.class);

  private final SwitchCalls calls;
  private final Function<String, SendWindow> windows;
  private final Map<String, Map<Object, Stored>> bySwitch = new ConcurrentHashMap<>();

  /** Removed ones with the step of their removal, until a reading began later. */
  private final Map<String, Map<Object, Long>> removed = new ConcurrentHashMap<>();

  private volatile Set<Match> punts = Set.of();

  OdlRules(SwitchCalls calls, Function<String, SendWindow> windows) {
    this.calls = calls;
    this.windows = windows;
  }

  /** A rule that was sent, or found. */
  private static final class Stored implements Entry {
    private final String datapath;
    private final Flow flow;
    private volatile Optional<Treatment> treatment;
    private volatile State state;
    private volatile long packets;
    private boolean isUnderWay;
    private long changedAt;

    Stored(String datapath, Flow flow, State state) {
      this.datapath = datapath;
      this.flow = flow;
      this.state = state;
      treatment = flow.treatment();
      packets = flow.packets();
    }

    boolean isPunt() {
      return (flow.cookie() & UPPER_HALF) == PUNT;
    }

    @Override
    public Optional<Rule.Key> key() {
      return flow.rule();
    }

    @Override
    public Optional<Treatment> treatment() {
      return treatment;
    }

    @Override
    public State state() {
      return state;
    }

    @Override
    public long packets() {
      return packets;
    }

    @Override
    public String name() {
      return "0x" + Long.toHexString(flow.cookie());
    }
  }

  @Override
  public Collection<? extends Entry> entries(String datapath) {
    synchronized (windows.apply(datapath)) {
      return of(datapath).values().stream().filter(stored -> !stored.isPunt()).collect(toList());
    }
  }

  private Map<Object, Stored> of(String datapath) {
    return bySwitch.computeIfAbsent(datapath, d -> new HashMap<>());
  }

  @Override
  public void apply(Collection<Rule> add, Collection<? extends Entry> remove) {
    add.forEach(rule -> add(rule.key(), rule.treatment(), cookie(rule)));
    remove.forEach(entry -> remove((Stored) entry));
  }

  private void add(Rule.Key key, Treatment treatment, long cookie) {
    Flow flow =
        new Flow(
            key.table(),
            key.priority(),
            FlowWriter.match(key),
            cookie,
            Optional.of(key),
            Optional.of(treatment),
            0);
    send(new Stored(key.datapath(), flow, State.SENT));
  }

  private void send(Stored stored) {
    SendWindow window = windows.apply(stored.datapath);
    synchronized (window) {
      Stored before = of(stored.datapath).put(stored.flow.identity(), stored);
      boolean isKnown = before != null && before.state == State.REFUSED;
      stored.isUnderWay = true;
      window
          .submit(
              () ->
                  calls.addFlow(
                      stored.flow.rule().orElseThrow(),
                      stored.treatment.orElseThrow(),
                      stored.flow.cookie()))
          .whenComplete((done, failure) -> sent(stored, failure, isKnown));
    }
  }

  private void sent(Stored stored, Throwable failure, boolean isKnown) {
    SendWindow window = windows.apply(stored.datapath);
    synchronized (window) {
      ended(stored, window);
      if (stored.state != State.SENT) {
        return;
      }
      if (failure == null) {
        stored.state = State.CONFIRMED;
      } else if (failure instanceof Refusal) {
        stored.state = State.REFUSED;
        if (!isKnown) {
          log.warn(
              "Switch {} refused the rule {}: {}",
              stored.datapath,
              stored.flow.rule().orElseThrow(),
              failure.getMessage());
        }
      }
    }
  }

  private static void ended(Stored stored, SendWindow window) {
    stored.isUnderWay = false;
    stored.changedAt = window.step();
  }

  private void remove(Stored stored) {
    SendWindow window = windows.apply(stored.datapath);
    synchronized (window) {
      if (of(stored.datapath).get(stored.flow.identity()) == stored) {
        stored.state = State.LEAVING;
        stored.isUnderWay = true;
        window
            .submit(() -> removal(stored.datapath, stored.flow))
            .whenComplete((done, failure) -> left(stored, failure));
      }
    }
  }

  private CompletableFuture<?> removal(String datapath, Flow flow) {
    return calls.removeFlow(datapath, flow.table(), flow.priority(), flow.match(), flow.cookie());
  }

  private void left(Stored stored, Throwable failure) {
    SendWindow window = windows.apply(stored.datapath);
    synchronized (window) {
      ended(stored, window);
      if (failure == null && stored.state == State.LEAVING) {
        forget(stored);
      }
    }
  }

  private void forget(Stored stored) {
    Object identity = stored.flow.identity();
    of(stored.datapath).remove(identity, stored);
    removed.computeIfAbsent(stored.datapath, d -> new HashMap<>()).put(identity, stored.changedAt);
  }

  @Override
  public void removeAll() {
    bySwitch.keySet().forEach(datapath -> entries(datapath).forEach(e -> remove((Stored) e)));
  }

  @Override
  public CompletableFuture<Boolean> removeUnknown(Collection<Rule> unknown) {
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (Rule rule : unknown) {
      SendWindow window = windows.apply(rule.datapath());
      synchronized (window) {
        Rule.Key key = rule.key();
        Stored stored = of(key.datapath()).get(key);
        if (stored != null) {
          remove(stored);
        }
        all.add(
            window.submit(
                () ->
                    calls.removeFlow(
                        key.datapath(), key.table(), key.priority(), FlowWriter.match(key), RULE)));
      }
    }
    return CompletableFuture.allOf(all.toArray(new CompletableFuture<?>[0]))
        .handle((done, failure) -> failure == null);
  }

  @Override
  public long cookie(Rule rule) {
    return RULE | lowerHalf(rule.key());
  }

  /** The same in every life and on every node. */
  private static long lowerHalf(Rule.Key key) {
    return Hashing.murmur3_32_fixed().hashString(key.toString(), UTF_8).asInt() & LOWER_HALF;
  }

  /** Has every switch send these packets to the controller, and no others for its own sake. */
  void punt(Set<Match> now) {
    punts = now;
    bySwitch.keySet().forEach(this::followPunts);
  }

  private void followPunts(String datapath) {
    SendWindow window = windows.apply(datapath);
    synchronized (window) {
      if (!window.isOpen()) {
        return; // All is brought in order when it opens.
      }
      Set<Match> wanted = punts;
      for (Stored stored : List.copyOf(of(datapath).values())) {
        if (stored.isPunt()
            && stored.state != State.LEAVING
            && stored.key().filter(key -> wanted.contains(key.match())).isEmpty()) {
          remove(stored);
        }
      }
      for (Match match : wanted) {
        Rule.Key key = Rule.Key.of(datapath, PUNT_TABLE, PUNT_PRIORITY, match);
        Stored stored = of(datapath).get(key);
        boolean stands =
            stored != null
                && (stored.state == State.SENT || stored.state == State.CONFIRMED)
                && stored.treatment.equals(Optional.of(TO_CONTROLLER));
        if (!stands) {
          add(key, TO_CONTROLLER, PUNT | lowerHalf(key));
        }
      }
    }
  }

  /**
   * Compares what is remembered with what a switch has.
   *
   * @param began the step at which it was asked; what has happened since is left alone
   */
  void audit(String datapath, Collection<Flow> found, long began) {
    SendWindow window = windows.apply(datapath);
    synchronized (window) {
      Map<Object, Flow> there = new HashMap<>();
      found.forEach(flow -> there.put(flow.identity(), flow));
      for (Stored stored : List.copyOf(of(datapath).values())) {
        Flow flow = there.remove(stored.flow.identity());
        if (flow != null) {
          stored.packets = flow.packets();
        }
        if (!stored.isUnderWay && stored.changedAt < began) {
          audit(stored, flow);
        }
      }
      Map<Object, Long> gone = removed.getOrDefault(datapath, Map.of());
      gone.values().removeIf(at -> at < began);
      there.forEach(
          (identity, flow) -> {
            if (!gone.containsKey(identity)) {
              of(datapath).put(identity, new Stored(datapath, flow, State.CONFIRMED));
            }
          });
      followPunts(datapath);
    }
  }

  private void audit(Stored stored, Flow flow) {
    if (stored.state == State.LEAVING) {
      if (flow == null) {
        forget(stored);
      } else {
        remove(stored);
      }
    } else if (flow != null) {
      stored.state = State.CONFIRMED;
      stored.treatment = flow.treatment();
    } else if (stored.state != State.REFUSED && stored.key().isPresent()) {
      send(new Stored(stored.datapath, stored.flow, State.SENT));
    } else {
      forget(stored);
    }
  }

  /** How many rules of a switch are still to be taken back. */
  long leaving(String datapath) {
    synchronized (windows.apply(datapath)) {
      return of(datapath).values().stream().filter(s -> s.state == State.LEAVING).count();
    }
  }

  /** The switch is another node's. */
  void forget(String datapath) {
    synchronized (windows.apply(datapath)) {
      bySwitch.remove(datapath);
      removed.remove(datapath);
    }
  }
}
