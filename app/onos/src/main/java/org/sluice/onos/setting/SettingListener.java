// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.setting;

/** Hears of changed parameters and of the application's end. */
public interface SettingListener {

  /** The parameters changed. Called in order, never twice at once. */
  void changed(Parameters before, Parameters now);

  /**
   * The application is being deactivated or uninstalled: take back everything that was put into
   * switches and stores. Not called when ONOS merely stops, since traffic must go on then.
   */
  default void withdraw() {}
}
