// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.link;

import org.sluice.agentlink.HostAccess;
import org.sluice.api.SluiceException;
import org.sluice.api.link.AgentLink;
import org.sluice.core.setting.Parameters;

/** An agent link that listens, until it is closed. */
public interface LinkServer extends AutoCloseable {

  AgentLink link();

  /** Who may connect from now on; sessions of others end at once. */
  void setAccess(HostAccess access);

  @Override
  void close();

  /** Starts one. */
  interface Factory {
    /**
     * Listens as the parameters say.
     *
     * @throws SluiceException if a file or the port cannot be used
     */
    LinkServer start(Parameters parameters) throws SluiceException;

    /**
     * Whether both ends show certificates: then it starts only where the files for that are set.
     */
    default boolean needsFiles() {
      return true;
    }
  }
}
