// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.link;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.sluice.api.HostId;

/**
 * Collects what is to be sent to hosts: one message per host and term, older terms first. Not
 * thread-safe.
 *
 * @param <T> what a message is a list of
 */
public final class HostMessages<T> {
  /** Where messages go. */
  public interface Sender<T> {
    void send(HostId host, long term, List<T> content);
  }

  private final Map<HostId, TreeMap<Long, List<T>>> waiting = new HashMap<>();

  /** Adds to the message of a host and a term. */
  public void add(HostId host, long term, T content) {
    waiting
        .computeIfAbsent(host, h -> new TreeMap<>())
        .computeIfAbsent(term, t -> new ArrayList<>())
        .add(content);
  }

  /** Sends what was added since the last time. */
  public void flush(Sender<T> sender) {
    waiting.forEach(
        (host, byTerm) -> byTerm.forEach((term, content) -> sender.send(host, term, content)));
    waiting.clear();
  }
}
