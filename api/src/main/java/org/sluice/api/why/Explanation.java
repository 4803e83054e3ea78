// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.why;

import com.google.auto.value.AutoValue;
import java.util.List;
import java.util.Locale;
import org.sluice.api.EndpointId;
import org.sluice.api.JournalEntry;
import org.sluice.api.TenantId;

/** Why an endpoint gets no more than it does: from the evidence to the limit in force. */
@AutoValue
public abstract class Explanation {

  /** What holds an endpoint back. */
  public enum Cause {
    /** Nothing: it sends less than it may. */
    NOTHING,
    /** Its part of a congested port, or of what a receiver may receive. */
    PORT,
    /** Its tenant's ceiling. */
    CEILING,
    /** Its part of its host's NIC. */
    UPLINK,
    /** Nothing: its host enforces no limits. */
    NOT_ENFORCED,
    /** It is not known: its host does not report. */
    NOT_REPORTED,
    /** It does not get an address that it claims, and nothing that it sends from there passes. */
    REFUSED_ADDRESS;

    /** As operators read it: {@code not-enforced}. */
    public String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  public static Builder builder(EndpointId endpoint, TenantId tenant) {
    return new AutoValue_Explanation.Builder().endpoint(endpoint).tenant(tenant);
  }

  public abstract EndpointId endpoint();

  public abstract TenantId tenant();

  public abstract double tenantWeight();

  public abstract Cause cause();

  /** What gets through of all that it sends, bit/s of whole frames. */
  public abstract long deliveredBitsPerSecond();

  /** The limit that holds it back, or else the lowest that there is, bit/s; 0: none. */
  public abstract long limitBitsPerSecond();

  /** The congested ports that it sends through; what holds it back first. */
  public abstract List<PortReason> ports();

  /** In one sentence. */
  public abstract String summary();

  /** The chain from evidence to limit, and what would change it; a sentence or two each. */
  public abstract List<String> lines();

  /** The latest decisions about it and its ports, as far as the requester may see them. */
  public abstract List<JournalEntry> journal();

  public abstract Builder toBuilder();

  /** Builds an explanation. */
  @AutoValue.Builder
  public abstract static class Builder {
    abstract Builder endpoint(EndpointId endpoint);

    abstract Builder tenant(TenantId tenant);

    public abstract Builder tenantWeight(double weight);

    public abstract Builder cause(Cause cause);

    public abstract Builder deliveredBitsPerSecond(long rate);

    public abstract Builder limitBitsPerSecond(long rate);

    public abstract Builder ports(List<PortReason> ports);

    public abstract Builder summary(String sentence);

    public abstract Builder lines(List<String> lines);

    public abstract Builder journal(List<JournalEntry> entries);

    public abstract Explanation build();
  }
}
