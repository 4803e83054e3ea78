// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.policy;

import org.sluice.api.SluiceException;

/** The JSON form of policy sets, for those who have a file and no reader of their own. */
public interface PolicyFormat {

  /**
   * Reads a set; what is not given takes its default.
   *
   * @param json the text of one object
   * @throws SluiceException INVALID naming field, value and remedy
   */
  PolicySet read(String json) throws SluiceException;

  /** A set with all of its fields, as one object. */
  String write(PolicySet set);
}
