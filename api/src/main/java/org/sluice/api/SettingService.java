// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

/** The controller's settings, as an operator reads and writes them. */
public interface SettingService {

  /**
   * A setting's value in force.
   *
   * @throws IllegalArgumentException if there is no such setting
   */
  String value(String setting);

  /** The platform's command that sets a setting to a value. */
  String command(String setting, String value);
}
