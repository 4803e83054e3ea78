// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.util.Optional;
import javax.ws.rs.core.Configuration;
import org.sluice.api.SluiceException;

/** Finds the services behind the resources; they may come and go at any time. */
interface Services {
  /** The property of the application that holds the services. */
  String PROPERTY = "org.sluice.rest.services";

  /** The services of the application that a resource belongs to. */
  static Services of(Configuration application) {
    return (Services) application.getProperty(PROPERTY);
  }

  <T> Optional<T> find(Class<T> service);

  /**
   * The service.
   *
   * @throws SluiceException of kind UNAVAILABLE while there is none
   */
  default <T> T get(Class<T> service) throws SluiceException {
    return find(service)
        .orElseThrow(
            () ->
                new SluiceException(
                    SluiceException.Kind.UNAVAILABLE,
                    "",
                    "",
                    "Sluice's " + service.getSimpleName() + " is not running",
                    "Activate the application; if it is active, its log names what it waits for"));
  }
}
