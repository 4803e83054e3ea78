// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import java.util.List;

/** Finds faults of the installation, as this controller node sees it. */
public interface DoctorService {

  /**
   * What was found now, the worst first; empty when all is well. Changes nothing.
   *
   * <p>What settles by itself within seconds, such as a rule on its way to a switch, is no finding.
   */
  List<Finding> examine();
}
