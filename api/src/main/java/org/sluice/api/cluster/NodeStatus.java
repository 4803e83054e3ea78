// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.cluster;

import com.google.auto.value.AutoValue;
import java.util.List;

/** A node of the controllers' cluster, as another one or it itself sees it. */
@AutoValue
public abstract class NodeStatus {

  /** What is known of a node. */
  public enum State {
    /** Sluice runs there: it has reported a short while ago. */
    RUNNING,
    /** It has not reported for long, or never. */
    SILENT,
    /** Whether it reports is not known: this node does not reach the cluster's store. */
    UNKNOWN
  }

  public static Builder builder(String name) {
    return new AutoValue_NodeStatus.Builder()
        .name(name)
        .local(false)
        .state(State.UNKNOWN)
        .silentSeconds(0)
        .version("")
        .leads(false)
        .switches(List.of())
        .clockOffMillis(0)
        .webFault("");
  }

  public abstract String name();

  /** Whether this is the node that answers. */
  public abstract boolean local();

  public abstract State state();

  /** For how long it has not reported, s; 0 while it does. */
  public abstract long silentSeconds();

  /** Sluice's version there; empty: unknown. */
  public abstract String version();

  /** Whether it decides what one node decides for the whole cluster. */
  public abstract boolean leads();

  /** Datapath ids of the connected switches whose master it is. */
  public abstract List<String> switches();

  /**
   * How far its clock is ahead of those of most nodes, ms; below 0: behind. 0 where fewer than
   * three nodes report: nobody knows whose is off.
   */
  public abstract long clockOffMillis();

  /** Why REST or the page cannot be had there; empty: they can, or that is not known. */
  public abstract String webFault();

  /** Builds one; of a node of which nothing is known, but for what is set. */
  @AutoValue.Builder
  public abstract static class Builder {
    abstract Builder name(String name);

    public abstract Builder local(boolean isLocal);

    public abstract Builder state(State state);

    public abstract Builder silentSeconds(long seconds);

    public abstract Builder version(String version);

    public abstract Builder leads(boolean isLeader);

    public abstract Builder switches(List<String> datapaths);

    public abstract Builder clockOffMillis(long millis);

    public abstract Builder webFault(String fault);

    public abstract NodeStatus build();
  }
}
