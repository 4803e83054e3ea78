// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.openflow;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.core.runtime.Execution;
import org.sluice.core.spi.Mastership;
import org.sluice.core.spi.Switches;
import org.sluice.forwarding.spi.GroupTable;
import org.sluice.forwarding.spi.Match;
import org.sluice.forwarding.spi.MeterTable;
import org.sluice.forwarding.spi.RuleTable;
import org.sluice.forwarding.spi.SwitchEvents;
import org.sluice.odl.line.Mdsal;
import org.sluice.odl.openflow.SwitchCalls.Refusal;
import org.sluice.polling.Reading;

/**
 * The tables of switches whose master this node is. Each is read when it comes, or comes to this
 * node, before it is sent anything: then it has its groups, meters and rules again, in this order.
 * From then on it is read every {@link #AUDIT_NANOS}. A switch that does not answer delays no
 * other.
 */
public final class SwitchTables implements SwitchEvents.Listener {
  /** How often a switch is compared with what is remembered of it. */
  static final long AUDIT_NANOS = SECONDS.toNanos(10);

  /**
   * So soon after it came, too: then switches say of meters that were made anew that they have
   * stood for a second, which forwarding awaits.
   */
  static final long FIRST_AUDIT_NANOS = MILLISECONDS.toNanos(1500);

  /** A switch that could not be read when it came is read again after that. */
  static final long RETRY_NANOS = SECONDS.toNanos(1);

  private static final long STOP_NANOS = SECONDS.toNanos(1);

  /** IEEE 802.1AB. */
  private static final Match LLDP = Match.builder().ethType(0x88cc).build();

  private static final Match ARP = Match.builder().ethType(0x0806).build();

  private static final Logger log = LoggerFactory.getLogger(SwitchTables.class);

  private final SwitchCalls calls;
  private final Switches switches;
  private final Mastership mastership;
  private final SwitchEvents events;
  private final Execution execution;
  private final ScheduledExecutorService executor;
  private final Map<String, SendWindow> windows = new ConcurrentHashMap<>();
  private final OdlRules rules;
  private final OdlMeters meters;
  private final OdlGroups groups;

  // The executor's thread alone:
  private final Map<String, Round> rounds = new HashMap<>();

  /** What is being read of a switch; another one takes its place when the switch comes again. */
  private static final class Round {
    boolean hasFailed;
  }

  /** Reads nothing yet. */
  public SwitchTables(
      Mdsal mdsal,
      Switches switches,
      Mastership mastership,
      SwitchEvents events,
      Execution execution) {
    this.switches = switches;
    this.mastership = mastership;
    this.events = events;
    this.execution = execution;
    calls = new SwitchCalls(mdsal);
    executor = execution.sequential("switch-tables");
    rules = new OdlRules(calls, this::window);
    meters = new OdlMeters(calls, this::window);
    groups = new OdlGroups(calls, this::window);
    rules.punt(Set.of(LLDP));
  }

  private SendWindow window(String datapath) {
    return windows.computeIfAbsent(
        datapath, d -> new SendWindow(executor, () -> calls.barrier(datapath)));
  }

  public RuleTable rules() {
    return rules;
  }

  public MeterTable meters() {
    return meters;
  }

  public GroupTable groups() {
    return groups;
  }

  /** Whether the last change of a meter was refused, as OpenDaylight's defaults have it. */
  public boolean changesRefused() {
    return meters.changesRefused();
  }

  /** Has every switch send ARP to the controller, or not any more. */
  void puntArp(boolean isWanted) {
    rules.punt(isWanted ? Set.of(LLDP, ARP) : Set.of(LLDP));
  }

  /** Begins to read switches, those that are there already first. */
  public void start() {
    events.addListener(this);
    executor.execute(this::followAll);
    executor.scheduleWithFixedDelay(this::followAll, AUDIT_NANOS, AUDIT_NANOS, NANOSECONDS);
  }

  /**
   * Takes back what sends LLDP and ARP to the controller, and ends. Rules, meters and groups stay
   * unless forwarding has taken them back; those of switches that are away stay in any case.
   */
  public void stop() {
    events.removeListener(this);
    rules.punt(Set.of());
    List<CompletableFuture<?>> last = new ArrayList<>();
    windows.forEach(
        (datapath, window) -> {
          if (window.isOpen()) {
            last.add(window.submit(() -> calls.barrier(datapath)));
          }
        });
    try {
      execution.await(
          CompletableFuture.allOf(last.toArray(new CompletableFuture<?>[0])), STOP_NANOS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      log.warn("Not every switch has said that it sends no LLDP any more: {}", e.toString());
    }
    executor.shutdownNow();
    new TreeMap<>(windows).forEach(this::end);
  }

  private void end(String datapath, SendWindow window) {
    window.close();
    long left = rules.leaving(datapath) + meters.leaving(datapath) + groups.leaving(datapath);
    if (left > 0) {
      log.warn(
          "Switch {} keeps {} rules, {} meters and {} groups: it is away or did not answer. Remove"
              + " rules with cookies {}/{}, and what else it has, by its own means",
          datapath,
          rules.leaving(datapath),
          meters.leaving(datapath),
          groups.leaving(datapath),
          "0x" + Long.toHexString(OdlRules.COOKIES),
          "0x" + Long.toHexString(OdlRules.COOKIES_MASK));
    }
  }

  @Override
  public void returned(String datapath) {
    leave(datapath);
  }

  @Override
  public void gone(String datapath) {
    leave(datapath);
  }

  @Override
  public void masterChanged(String datapath) {
    executor.execute(() -> follow(datapath));
  }

  /** Whatever was sent may be lost, and nothing is sent before the switch was read. */
  private void leave(String datapath) {
    window(datapath).close();
    meters.doubt(datapath);
    groups.doubt(datapath);
    executor.execute(
        () -> {
          rounds.remove(datapath);
          follow(datapath);
        });
  }

  void followAll() {
    for (String datapath : switches.connected()) {
      try {
        follow(datapath);
      } catch (RuntimeException e) {
        log.error("The tables of {} could not be read; retrying", datapath, e);
      }
    }
  }

  private void follow(String datapath) {
    if (!switches.isConnected(datapath)) {
      return; // It is brought in order when it returns.
    }
    if (mastership.isLocal(datapath)) {
      if (!rounds.containsKey(datapath)) {
        rounds.put(datapath, new Round());
        read(datapath);
      }
    } else if (mastership.masterOf(datapath).isPresent()) {
      rounds.remove(datapath);
      window(datapath).close();
      rules.forget(datapath);
      meters.forget(datapath);
      groups.forget(datapath);
    }
  }

  private void read(String datapath) {
    Round round = rounds.get(datapath);
    SendWindow window = window(datapath);
    long began = window.isOpen() ? window.step() : Long.MAX_VALUE;
    CompletableFuture<List<Flow>> flows =
        within(calls.flows(datapath, OdlRules.COOKIES, OdlRules.COOKIES_MASK));
    CompletableFuture<List<Reading>> bands =
        orNone(within(calls.meters(datapath, Optional.empty())), List.of());
    CompletableFuture<Set<Long>> numbers = orNone(within(calls.groups(datapath)), Set.of());
    CompletableFuture<Optional<Long>> most =
        within(calls.maxMeter(datapath)).exceptionally(failure -> Optional.empty());
    CompletableFuture.allOf(flows, bands, numbers, most)
        .whenCompleteAsync(
            (done, failure) -> {
              if (rounds.get(datapath) != round) {
                return;
              }
              if (failure == null) {
                rounds.remove(datapath);
                most.join().ifPresent(number -> meters.setMost(datapath, number));
                audit(datapath, flows.join(), bands.join(), numbers.join(), began);
              } else {
                retry(datapath, round, failure);
              }
            },
            executor);
  }

  private <T> CompletableFuture<T> within(CompletableFuture<T> result) {
    return SendWindow.within(result, executor);
  }

  /** A switch that knows no meters, or no groups, says so by an error. */
  private static <T> CompletableFuture<T> orNone(CompletableFuture<T> result, T none) {
    return result.exceptionally(
        failure -> {
          Throwable cause = SwitchCalls.cause(failure);
          if (cause instanceof Refusal) {
            return none;
          }
          throw new CompletionException(cause);
        });
  }

  private void audit(
      String datapath, List<Flow> flows, List<Reading> bands, Set<Long> numbers, long began) {
    SendWindow window = window(datapath);
    synchronized (window) { // Nobody else sends anything before what rules may need is there.
      if (!window.isOpen()) {
        window.open();
        executor.schedule(() -> follow(datapath), FIRST_AUDIT_NANOS, NANOSECONDS);
      }
      groups.audit(datapath, numbers, began);
      meters.audit(datapath, bands, began);
      rules.audit(datapath, flows, began);
    }
  }

  private void retry(String datapath, Round round, Throwable failure) {
    if (window(datapath).isOpen()) {
      rounds.remove(datapath);
      log.debug("The tables of {} could not be compared this time: {}", datapath, failure);
      return;
    }
    if (!round.hasFailed) {
      round.hasFailed = true;
      log.warn("Switch {} does not say what rules it has; retrying: {}", datapath, failure);
    }
    executor.schedule(
        () -> {
          if (rounds.get(datapath) == round) {
            read(datapath);
          }
        },
        RETRY_NANOS,
        NANOSECONDS);
  }
}
