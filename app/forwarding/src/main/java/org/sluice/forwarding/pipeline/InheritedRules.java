// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.IpAddress;
import org.sluice.core.runtime.Execution;
import org.sluice.core.spi.Mastership;
import org.sluice.core.spi.Switches;
import org.sluice.forwarding.spi.ForwardingPlatform;
import org.sluice.forwarding.spi.Rule;
import org.sluice.forwarding.spi.RuleTable;
import org.sluice.forwarding.spi.Treatment;

/**
 * Takes back rules of an earlier life, which the platform does not have: once from each switch,
 * when it is there. Not thread-safe.
 */
final class InheritedRules {
  private static final Logger log = LoggerFactory.getLogger(InheritedRules.class);

  /** A switch that does not confirm so often is left alone. */
  private static final int MOST_ATTEMPTS = 3;

  private final RuleTable rules;
  private final Switches switches;
  private final Mastership mastership;
  private final Execution execution;
  private final Map<String, Set<IpAddress>> done = new HashMap<>();
  private final Map<String, Integer> failures = new HashMap<>();

  InheritedRules(ForwardingPlatform platform, Execution execution) {
    rules = platform.rules();
    switches = platform.switches();
    mastership = platform.mastership();
    this.execution = execution;
  }

  /**
   * Takes back the rules for these addresses where that has not been done yet.
   *
   * @param alsoFrame also what every switch has, whatever is attached
   * @param mostMillis how long to wait for one switch
   * @return whether none is left: no known switch is away or has yet to confirm
   */
  boolean takeBack(Set<IpAddress> addresses, boolean alsoFrame, long mostMillis) {
    boolean isGone = true;
    for (String datapath : switches.known()) {
      if (!switches.isConnected(datapath)) {
        isGone = false;
      } else if (mastership.isLocal(datapath)) {
        isGone &= takeBack(datapath, addresses, alsoFrame, mostMillis);
      }
    }
    return isGone;
  }

  private boolean takeBack(
      String datapath, Set<IpAddress> addresses, boolean alsoFrame, long mostMillis) {
    Set<IpAddress> doneHere = done.computeIfAbsent(datapath, d -> new HashSet<>());
    List<Rule> unknown = new ArrayList<>();
    for (IpAddress ip : addresses) {
      if (!doneHere.contains(ip)) {
        unknown.add(Pipeline.route(datapath, ip, Treatment.CONTROLLER));
        unknown.add(Pipeline.resolve(datapath, ip, Treatment.CONTROLLER));
      }
    }
    if (unknown.isEmpty()) {
      return true;
    }
    if (alsoFrame) {
      unknown.addAll(Pipeline.frame(datapath));
    }
    if (!isRemoved(unknown, mostMillis)) {
      if (failures.merge(datapath, 1, Integer::sum) < MOST_ATTEMPTS) {
        return false;
      }
      log.warn(
          "Switch {} did not confirm that {} rules from before the restart are gone: check its"
              + " flow table",
          datapath,
          unknown.size());
    }
    failures.remove(datapath);
    doneHere.addAll(addresses);
    return true;
  }

  private boolean isRemoved(List<Rule> unknown, long mostMillis) {
    try {
      return execution.await(rules.removeUnknown(unknown), MILLISECONDS.toNanos(mostMillis));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (ExecutionException | TimeoutException e) {
      return false;
    }
  }

  /** All addresses are served anew, or none: nothing is done. */
  void clear() {
    done.clear();
    failures.clear();
  }
}
