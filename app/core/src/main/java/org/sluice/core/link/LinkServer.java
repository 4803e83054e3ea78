// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.link;

import java.util.Optional;
import org.sluice.agentlink.HostAccess;
import org.sluice.agentlink.LinkFiles;
import org.sluice.api.SluiceException;
import org.sluice.api.link.AgentLink;
import org.sluice.core.setting.Parameters;

/** An agent link that listens, until it is closed. */
public interface LinkServer extends AutoCloseable {

  AgentLink link();

  /** Who may connect from now on; sessions of others end at once. */
  void setAccess(HostAccess access);

  /**
   * Goes by what its files hold now, if it has some, for agents that connect from now on; sessions
   * go on.
   *
   * @throws SluiceException if one cannot be used
   */
  default void renewTls() throws SluiceException {}

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
     * What the files that it needs hold now.
     *
     * @throws SluiceException if one cannot be used
     */
    default Optional<LinkFiles> files(Parameters parameters) throws SluiceException {
      return Optional.empty();
    }

    /**
     * Whether both ends show certificates: then it starts only where the files for that are set.
     */
    default boolean needsFiles() {
      return true;
    }
  }
}
