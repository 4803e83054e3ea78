// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.spi;

import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Sluice's rules on switches, as the platform keeps them. It may learn only seconds later from a
 * switch that a rule stands.
 */
public interface RuleTable {

  /** How far a rule is. */
  enum State {
    /** It was sent. */
    SENT,
    /** Its switch has said that it stands. */
    CONFIRMED,
    /** It is being taken back. */
    LEAVING,
    /** Its switch has refused it. */
    REFUSED
  }

  /** A rule that the platform has. */
  interface Entry {
    /** Where it stands and what it matches; empty: what no rule of this version does. */
    Optional<Rule.Key> key();

    /** What it does; empty: what no rule of this version does. */
    Optional<Treatment> treatment();

    State state();

    /** How many packets it has had, as its switch said last. */
    long packets();

    /** What the platform's own commands call it. */
    String name();
  }

  /**
   * Sluice's rules of a switch.
   *
   * @throws LateSwitchException if they are not known in time; those of others are
   */
  Collection<? extends Entry> entries(String datapath);

  /**
   * Sends rules to their switches, in place of those with the same key, and takes others back. Does
   * not wait for switches.
   */
  void apply(Collection<Rule> add, Collection<? extends Entry> remove);

  /** Takes back all rules, of switches that are away as well. */
  void removeAll();

  /**
   * Takes back rules that a switch may have and the platform does not know.
   *
   * @return whether the switch has confirmed that they are gone; may never end
   */
  CompletableFuture<Boolean> removeUnknown(Collection<Rule> unknown);

  /** The number by which packet-ins name a rule; the same as long as it has the same key. */
  long cookie(Rule rule);
}
