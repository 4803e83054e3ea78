// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.openflow;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.toList;

import com.google.common.hash.Hashing;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.forwarding.spi.Match;
import org.sluice.forwarding.spi.Rule;
import org.sluice.forwarding.spi.RuleTable;
import org.sluice.forwarding.spi.Treatment;

/**
 * Rules by openflowplugin's flow service. Those that a platform needs itself, to see LLDP and ARP,
 * stand in no list.
 */
final class OdlRules extends SentTable<Object, OdlRules.Stored, Flow> implements RuleTable {
  /** All cookies of ours begin so, whoever's they are. */
  static final long COOKIES = 0x51ce0000_00000000L;

  static final long COOKIES_MASK = 0xfffffffc_00000000L;

  private static final long RULE = 0x51ce0001_00000000L;
  private static final long PUNT = 0x51ce0002_00000000L;
  private static final long LOWER_HALF = 0x00000000_ffffffffL;

  private static final int PUNT_TABLE = 0;

  /** None of forwarding's is the same. */
  private static final int PUNT_PRIORITY = 40_000;

  private static final Treatment TO_CONTROLLER = Treatment.output(Treatment.CONTROLLER);
  private static final Logger log = LoggerFactory.getLogger(OdlRules.class);

  private volatile Set<Match> punts = Set.of();

  OdlRules(SwitchCalls calls, Function<String, SendWindow> windows) {
    super(calls, windows);
  }

  static boolean isPunt(long cookie) {
    return (cookie & SwitchCalls.UPPER_HALF) == PUNT;
  }

  /** A rule that was sent, or found. */
  static final class Stored extends SentTable.Item<Object> implements RuleTable.Entry {
    private final Flow flow;
    private volatile Optional<Treatment> treatment;
    private volatile long packets;

    /** Another like this was refused before, and that was said. */
    private boolean isRefusalKnown;

    Stored(String datapath, Flow flow, State state) {
      super(datapath, flow.identity(), state);
      this.flow = flow;
      treatment = flow.treatment();
      packets = flow.packets();
    }

    boolean isPunt() {
      return OdlRules.isPunt(flow.cookie());
    }

    boolean stands() {
      return state == State.SENT || state == State.CONFIRMED;
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
  CompletableFuture<?> adding(Stored stored) {
    return calls.addFlow(
        stored.flow.rule().orElseThrow(), stored.treatment.orElseThrow(), stored.flow.cookie());
  }

  @Override
  CompletableFuture<?> removing(Stored stored) {
    return calls.removeFlow(stored.datapath, stored.flow);
  }

  @Override
  void refused(Stored stored, String reason) {
    if (!stored.isRefusalKnown) {
      log.warn("Switch {} refused the rule {}: {}", stored.datapath, stored.key, reason);
    }
  }

  @Override
  Object keyOf(Flow found) {
    return found.identity();
  }

  @Override
  void read(Stored stored, Flow flow, boolean isSettled) {
    stored.packets = flow.packets();
    stored.treatment = isSettled ? flow.treatment() : stored.treatment;
  }

  @Override
  boolean isWhole(Stored stored) {
    return stored.key().isPresent() && stored.treatment.isPresent();
  }

  @Override
  Optional<Stored> discovered(String datapath, Object key, Flow flow) {
    return Optional.of(new Stored(datapath, flow, State.CONFIRMED));
  }

  @Override
  public Collection<? extends Entry> entries(String datapath) {
    return all(datapath).stream().filter(stored -> !stored.isPunt()).collect(toList());
  }

  @Override
  public void apply(Collection<Rule> add, Collection<? extends Entry> remove) {
    add.forEach(rule -> add(rule.key(), rule.treatment(), cookie(rule)));
    remove.forEach(entry -> remove((Stored) entry));
  }

  private void add(Rule.Key key, Treatment treatment, long cookie) {
    Stored stored = new Stored(key.datapath(), Flow.of(key, treatment, cookie), State.SENT);
    synchronized (windows.apply(key.datapath())) {
      Stored before = of(key.datapath()).get(key);
      stored.isRefusalKnown = before != null && before.state == State.REFUSED;
      send(stored);
    }
  }

  @Override
  public void removeAll() {
    switches().forEach(datapath -> entries(datapath).forEach(entry -> remove((Stored) entry)));
  }

  @Override
  public CompletableFuture<Boolean> removeUnknown(Collection<Rule> unknown) {
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (Rule rule : unknown) {
      SendWindow window = windows.apply(rule.datapath());
      synchronized (window) {
        Optional.ofNullable(of(rule.datapath()).get(rule.key())).ifPresent(this::remove);
        Flow flow = Flow.of(rule.key(), rule.treatment(), RULE);
        all.add(window.submit(() -> calls.removeFlow(rule.datapath(), flow)));
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
    switches().forEach(this::followPunts);
  }

  private void followPunts(String datapath) {
    SendWindow window = windows.apply(datapath);
    synchronized (window) {
      if (!window.isOpen()) {
        return; // All is brought in order when it opens.
      }
      Set<Match> missing = new HashSet<>(punts);
      for (Stored stored : all(datapath)) {
        if (stored.isPunt() && stored.stands()) {
          Optional<Match> match = stored.key().map(Rule.Key::match);
          boolean isRight = stored.treatment.equals(Optional.of(TO_CONTROLLER));
          if (match.isEmpty() || !punts.contains(match.get())) {
            remove(stored);
          } else if (isRight) {
            missing.remove(match.get());
          }
        }
      }
      for (Match match : missing) {
        Rule.Key key = Rule.Key.of(datapath, PUNT_TABLE, PUNT_PRIORITY, match);
        add(key, TO_CONTROLLER, PUNT | lowerHalf(key));
      }
    }
  }

  @Override
  void audit(String datapath, Collection<Flow> found, long began) {
    super.audit(datapath, found, began);
    followPunts(datapath);
  }
}
