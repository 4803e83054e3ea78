// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.setting;

import org.onosproject.core.ApplicationId;

/** The application's identity and parameters, for its own components. */
public interface SettingService {

  ApplicationId applicationId();

  Parameters parameters();

  /**
   * Registers for changes; listeners are asked to withdraw in the order of their stage.
   *
   * @param stage the smaller withdraws first
   */
  void addListener(int stage, SettingListener listener);

  void removeListener(SettingListener listener);
}
