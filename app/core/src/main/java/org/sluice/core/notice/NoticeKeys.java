// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.notice;

import java.security.SecureRandom;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.sluice.agentlink.NoticeSigner;
import org.sluice.api.HostId;
import org.sluice.api.link.AgentLink;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.LinkKey;

/**
 * The keys with which this node signs notices in band: one for each host with a session, made for
 * it, sent to it alone, and void when its lease ends. They live in this node's memory: nobody else
 * needs them. Not thread-safe.
 */
final class NoticeKeys {
  private static final int KEY_BYTES = 32;
  private static final long MILLIS_PER_ID = 1000;

  private final AgentLink link;
  private final LongSupplier clockMillis;
  private final long term;
  private final SecureRandom random = new SecureRandom();
  private final Map<HostId, Optional<NoticeSigner>> connected = new HashMap<>();
  private final Map<HostId, Integer> lastId = new HashMap<>();
  private boolean inUse;

  NoticeKeys(AgentLink link, LongSupplier clockMillis) {
    this.link = link;
    this.clockMillis = clockMillis;
    this.term = clockMillis.getAsLong();
  }

  /** A host opened a session, perhaps instead of one that it had. */
  void connected(HostId host) {
    connected.put(host, inUse ? Optional.of(handOut(host)) : Optional.empty());
  }

  void disconnected(HostId host) {
    connected.remove(host);
  }

  boolean isConnected(HostId host) {
    return connected.containsKey(host);
  }

  /** Whether notices are signed; keys are handed out from then on, and forgotten afterwards. */
  void use(boolean now) {
    if (now != inUse) {
      inUse = now;
      rotate();
    }
  }

  /** New keys for all; hosts accept the one before until the next. */
  void rotate() {
    connected.replaceAll((host, old) -> inUse ? Optional.of(handOut(host)) : Optional.empty());
  }

  /** What signs for a host; empty where it has no key. */
  Optional<NoticeSigner> signer(HostId host) {
    return connected.getOrDefault(host, Optional.empty());
  }

  private NoticeSigner handOut(HostId host) {
    byte[] key = new byte[KEY_BYTES];
    random.nextBytes(key);
    // Greater than what an earlier start of this node may have handed out.
    int floor = (int) (clockMillis.getAsLong() / MILLIS_PER_ID);
    int id = lastId.merge(host, floor, (last, now) -> Math.max(last + 1, now));
    link.send(host, term, DownlinkMessage.ofNoticeKey(LinkKey.of(id, key)));
    return new NoticeSigner(id, key);
  }
}
