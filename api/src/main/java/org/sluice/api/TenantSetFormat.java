// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import java.util.List;

/** The JSON form of a set of tenants, for those who have a file and no reader of their own. */
public interface TenantSetFormat {

  /**
   * Reads a set; what is not given of a tenant takes its default.
   *
   * @param json the text of one object: {@code {"tenants": [...]}}
   * @throws SluiceException INVALID naming field, value and remedy
   */
  List<Tenant> read(String json) throws SluiceException;
}
