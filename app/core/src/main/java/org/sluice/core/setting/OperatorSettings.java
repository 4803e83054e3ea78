// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.setting;

import org.sluice.api.SettingService;
import org.sluice.core.spi.PlatformDiagnosis;

/** Settings in force, and how the platform sets them. */
public final class OperatorSettings implements SettingService {
  private final Settings settings;
  private final PlatformDiagnosis platform;

  public OperatorSettings(Settings settings, PlatformDiagnosis platform) {
    this.settings = settings;
    this.platform = platform;
  }

  @Override
  public String value(String setting) {
    return SettingTable.all().stream()
        .filter(one -> one.name().equals(setting))
        .findFirst()
        .map(one -> one.write(settings.get(one)))
        .orElseThrow(() -> new IllegalArgumentException("There is no setting " + setting));
  }

  @Override
  public String command(String setting, String value) {
    return platform.settingCommand(setting, value);
  }
}
