// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.link;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.sluice.api.HostId;
import org.sluice.api.link.AgentLink;
import org.sluice.api.link.AgentLinkListener;
import org.sluice.api.link.DownlinkMessage;

/**
 * The agent link that the other components hold on to, while the one that listens comes, goes and
 * changes with the parameters. Without one, nobody is connected.
 */
class LinkRelay implements AgentLink {
  private final List<AgentLinkListener> listeners = new CopyOnWriteArrayList<>();
  private final Object change = new Object();
  private volatile AgentLink current;

  /** Listeners receive the messages of this link from now on. */
  final void use(AgentLink link) {
    synchronized (change) {
      current = link;
      listeners.forEach(link::addListener);
    }
  }

  /** Nobody is connected from now on. */
  final void drop() {
    synchronized (change) {
      current = null;
    }
  }

  /** Whether agents can connect now. */
  public final boolean listens() {
    return current != null;
  }

  @Override
  public Set<HostId> connectedHosts() {
    AgentLink link = current;
    return link == null ? Set.of() : link.connectedHosts();
  }

  @Override
  public void send(HostId host, long term, DownlinkMessage message) {
    withLink(link -> link.send(host, term, message));
  }

  @Override
  public final void addListener(AgentLinkListener listener) {
    synchronized (change) {
      listeners.add(listener);
      withLink(link -> link.addListener(listener));
    }
  }

  @Override
  public final void removeListener(AgentLinkListener listener) {
    synchronized (change) {
      listeners.remove(listener);
      withLink(link -> link.removeListener(listener));
    }
  }

  private void withLink(Consumer<AgentLink> call) {
    AgentLink link = current;
    if (link != null) {
      call.accept(link);
    }
  }
}
