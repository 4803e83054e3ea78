// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.spi;

import com.google.auto.value.AutoValue;

/** A permanent rule of a switch. */
@AutoValue
public abstract class Rule {

  /** What distinguishes rules: where one stands and what it matches, not what it does. */
  @AutoValue
  public abstract static class Key {
    public static Key of(String datapath, int table, int priority, Match match) {
      return new AutoValue_Rule_Key(datapath, table, priority, match);
    }

    public abstract String datapath();

    public abstract int table();

    public abstract int priority();

    public abstract Match match();
  }

  public static Rule of(Key key, Treatment treatment) {
    return new AutoValue_Rule(key, treatment);
  }

  public abstract Key key();

  public abstract Treatment treatment();

  public final String datapath() {
    return key().datapath();
  }

  public final int table() {
    return key().table();
  }

  public final int priority() {
    return key().priority();
  }

  public final Match match() {
    return key().match();
  }
}
