// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.testing;

import java.util.Hashtable;
import org.onosproject.core.ApplicationId;
import org.onosproject.core.DefaultApplicationId;
import org.sluice.onos.setting.Parameters;
import org.sluice.onos.setting.SettingListener;
import org.sluice.onos.setting.SettingService;
import org.sluice.onos.setting.Settings;

/** Settings that a test changes. */
public final class FakeSettings implements SettingService {
  private final Settings settings = new Settings(warning -> {});

  /** Names and values in turn. */
  public void set(Object... namesAndValues) {
    Hashtable<String, Object> properties = new Hashtable<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      properties.put(namesAndValues[i].toString(), namesAndValues[i + 1]);
    }
    settings.read(properties);
  }

  public void withdraw() {
    settings.withdraw();
  }

  @Override
  public ApplicationId applicationId() {
    return new DefaultApplicationId(1, "org.sluice");
  }

  @Override
  public Parameters parameters() {
    return settings.parameters();
  }

  @Override
  public void addListener(int stage, SettingListener listener) {
    settings.addListener(stage, listener);
  }

  @Override
  public void removeListener(SettingListener listener) {
    settings.removeListener(listener);
  }
}
