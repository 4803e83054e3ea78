// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import java.util.List;
import org.sluice.api.HostId;

/** An event on a host that may concern an operator. */
@AutoValue
public abstract class HostEvent {

  /** What happened. */
  public enum Kind {
    /** The host's endpoints changed; the event carries all of them. */
    ENDPOINTS_CHANGED,
    /** The agent refused a stale message. */
    STALE_REFUSED,
    /** A controller node's lease ran out at the agent. */
    LEASE_EXPIRED,
    /** The agent could not enforce a decision. */
    ENFORCEMENT_FAILED,
    /** An endpoint used a foreign source address. */
    SPOOFED,
    /** What is wrong on the host and lasts has changed; the event carries all of it. */
    CONDITIONS_CHANGED,
    /** The agent is stopped for good: it is not to be missed when its session has ended. */
    LEAVING
  }

  public static HostEvent of(
      HostId host, Kind kind, String detail, List<ReportedEndpoint> endpoints) {
    return new AutoValue_HostEvent(host, kind, detail, List.copyOf(endpoints), List.of());
  }

  /** What is wrong on a host now and lasts, each with what helps. */
  public static HostEvent ofConditions(HostId host, List<String> conditions) {
    return new AutoValue_HostEvent(
        host, Kind.CONDITIONS_CHANGED, "", List.of(), List.copyOf(conditions));
  }

  public abstract HostId host();

  public abstract Kind kind();

  public abstract String detail();

  /** All endpoints of the host after {@link Kind#ENDPOINTS_CHANGED}; empty otherwise. */
  public abstract List<ReportedEndpoint> endpoints();

  /** All that is wrong after {@link Kind#CONDITIONS_CHANGED}; empty otherwise. */
  public abstract List<String> conditions();
}
