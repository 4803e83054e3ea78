// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.virtual;

import java.util.Optional;
import org.sluice.forwarding.spi.Rule;
import org.sluice.forwarding.spi.RuleTable;
import org.sluice.forwarding.spi.Treatment;

/** A rule in a table in memory. */
public final class StoredRule implements RuleTable.Entry {
  private final Rule rule;
  private RuleTable.State state;
  private long packets;

  public StoredRule(Rule rule, RuleTable.State state) {
    this.rule = rule;
    this.state = state;
  }

  public Rule rule() {
    return rule;
  }

  public void setState(RuleTable.State now) {
    state = now;
  }

  public void setPackets(long count) {
    packets = count;
  }

  @Override
  public Optional<Rule.Key> key() {
    return Optional.of(rule.key());
  }

  @Override
  public Optional<Treatment> treatment() {
    return Optional.of(rule.treatment());
  }

  @Override
  public RuleTable.State state() {
    return state;
  }

  @Override
  public long packets() {
    return packets;
  }

  @Override
  public String name() {
    return rule.toString();
  }
}
