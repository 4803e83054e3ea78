// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.setting;

import com.google.auto.value.AutoValue;
import org.sluice.onos.OsgiPropertyConstants;

/** The component's parameters, checked. */
@AutoValue
public abstract class Parameters {

  /** Which law decides. */
  public enum Law {
    SLUICE,
    PAPER
  }

  /** How the paper's law splits a port's marks among the sources that cross it. */
  public enum Split {
    PROPORTIONAL,
    EQUAL
  }

  /** Who forwards the tenants' packets. */
  public enum Forwarding {
    OWN,
    OTHER
  }

  /** What holds until somebody says otherwise. */
  public static Parameters defaults() {
    return new AutoValue_Parameters.Builder()
        .enforcement(true)
        .law(Law.SLUICE)
        .split(Split.PROPORTIONAL)
        .controlPeriodMillis(OsgiPropertyConstants.CONTROL_PERIOD_MILLIS_DEFAULT)
        .forwarding(Forwarding.OWN)
        .agentLinkPort(OsgiPropertyConstants.AGENT_LINK_PORT_DEFAULT)
        .agentLinkKey("")
        .agentLinkCertificate("")
        .agentLinkTrust("")
        .leaseMillis(OsgiPropertyConstants.LEASE_MILLIS_DEFAULT)
        .build();
  }

  /** Whether agents limit. */
  public abstract boolean enforcement();

  public abstract Law law();

  public abstract Split split();

  /** T_i, milliseconds. */
  public abstract int controlPeriodMillis();

  public abstract Forwarding forwarding();

  public abstract int agentLinkPort();

  /** PEM file; empty: none. */
  public abstract String agentLinkKey();

  /** PEM file; empty: none. */
  public abstract String agentLinkCertificate();

  /** PEM file; empty: none. */
  public abstract String agentLinkTrust();

  public abstract int leaseMillis();

  abstract Builder toBuilder();

  /** Builds parameters; only {@link ParameterReader} does. */
  @AutoValue.Builder
  abstract static class Builder {
    abstract Builder enforcement(boolean on);

    abstract Builder law(Law law);

    abstract Builder split(Split split);

    abstract Builder controlPeriodMillis(int millis);

    abstract Builder forwarding(Forwarding forwarding);

    abstract Builder agentLinkPort(int port);

    abstract Builder agentLinkKey(String file);

    abstract Builder agentLinkCertificate(String file);

    abstract Builder agentLinkTrust(String file);

    abstract Builder leaseMillis(int millis);

    abstract Parameters build();
  }
}
