// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest.stream;

import org.sluice.api.SluiceException;

/** Where the stream's contents come from. */
public interface Sources {

  /**
   * A service.
   *
   * @throws SluiceException of kind UNAVAILABLE while there is none
   */
  <T> T get(Class<T> service) throws SluiceException;
}
