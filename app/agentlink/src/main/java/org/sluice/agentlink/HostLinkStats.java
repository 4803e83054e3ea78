// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import com.google.auto.value.AutoValue;
import org.sluice.api.HostId;

/** What went over the link to and from one host since the server started. */
@AutoValue
public abstract class HostLinkStats {

  static Builder builder(HostId host) {
    return new AutoValue_HostLinkStats.Builder().host(host);
  }

  public abstract HostId host();

  /** Whether a session is open now. */
  public abstract boolean connected();

  /** Sessions opened, those that replaced one among them. */
  public abstract long sessions();

  public abstract long receivedMessages();

  public abstract long receivedBytes();

  public abstract long sentMessages();

  public abstract long sentBytes();

  /** Outbound items dropped because the host did not take them in time. */
  public abstract long droppedItems();

  /** Outbound items that a newer one made needless before they left. */
  public abstract long supersededItems();

  /** Inbound messages refused as malformed or out of order. */
  public abstract long refusedMessages();

  /** Inbound samples left out because they were about endpoints that are not the host's. */
  public abstract long foreignSamples();

  /** Inbound messages discarded unread because the host was in quarantine. */
  public abstract long quarantinedMessages();

  @AutoValue.Builder
  abstract static class Builder {
    abstract Builder host(HostId host);

    abstract Builder connected(boolean connected);

    abstract Builder sessions(long count);

    abstract Builder receivedMessages(long count);

    abstract Builder receivedBytes(long bytes);

    abstract Builder sentMessages(long count);

    abstract Builder sentBytes(long bytes);

    abstract Builder droppedItems(long count);

    abstract Builder supersededItems(long count);

    abstract Builder refusedMessages(long count);

    abstract Builder foreignSamples(long count);

    abstract Builder quarantinedMessages(long count);

    abstract HostLinkStats build();
  }
}
