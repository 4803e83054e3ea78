// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.config;

import org.onosproject.core.ApplicationId;
import org.onosproject.net.config.Config;
import org.onosproject.net.config.InvalidFieldException;
import org.sluice.api.SluiceException;
import org.sluice.core.configuration.OperatorDocument;

/** The network configuration {@code apps/org.sluice/sluice}: an {@link OperatorDocument}. */
public class SluiceConfig extends Config<ApplicationId> {
  /** The key under the application's name. */
  public static final String KEY = "sluice";

  @Override
  public boolean isValid() {
    document();
    return true;
  }

  /**
   * What stands there.
   *
   * @throws InvalidFieldException if it is refused
   */
  public OperatorDocument document() {
    try {
      return OperatorDocument.read(object);
    } catch (SluiceException e) {
      throw new InvalidFieldException(
          e.field().orElse(""), "'" + e.value() + "': " + e.getMessage() + ". " + e.remedy());
    }
  }
}
