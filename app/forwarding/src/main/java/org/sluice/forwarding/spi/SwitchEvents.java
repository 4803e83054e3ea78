// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.spi;

/** What happens to the connections of switches, each event of it. */
public interface SwitchEvents {

  /** Is called on any thread; must not block. */
  interface Listener {
    /** A switch came, or came back: its tables may be as they were, or empty. */
    void returned(String datapath);

    /** A switch went away. */
    void gone(String datapath);

    /** A switch has another master, this node or another one. */
    void masterChanged(String datapath);
  }

  void addListener(Listener listener);

  void removeListener(Listener listener);
}
