// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.link;

import org.sluice.api.SluiceException;
import org.sluice.api.link.AgentLink;
import org.sluice.onos.setting.Parameters;

/** An agent link that listens, until it is closed. */
interface LinkServer extends AutoCloseable {

  AgentLink link();

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
  }
}
