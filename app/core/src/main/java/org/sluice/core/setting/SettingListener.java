// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.setting;

/** Receives changed parameters and the application's end. */
public interface SettingListener {

  /** The parameters changed. Called in order, never twice at once. */
  default void changed(Parameters before, Parameters now) {}

  /**
   * The application is being deactivated or uninstalled: take back everything that was put into
   * switches and stores. Not called when the controller merely stops, since traffic must go on
   * then.
   */
  default void withdraw() {}
}
