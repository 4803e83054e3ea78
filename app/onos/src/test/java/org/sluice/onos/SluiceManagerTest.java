// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.onosproject.cfg.ComponentConfigAdapter;
import org.onosproject.core.ApplicationId;
import org.onosproject.core.CoreServiceAdapter;
import org.onosproject.core.DefaultApplicationId;
import org.sluice.api.JournalEntry;
import org.sluice.api.Law;
import org.sluice.core.setting.Parameters;
import org.sluice.core.setting.Setting;
import org.sluice.core.setting.SettingListener;
import org.sluice.core.setting.SettingTable;
import org.sluice.core.setting.WithdrawStage;
import org.sluice.onos.testing.OnosWorld;

class SluiceManagerTest {
  private final SluiceManager manager = new SluiceManager();
  private final List<String> calls = new ArrayList<>();
  private Runnable hook;

  private void activate(Map<String, Object> properties) {
    manager.core =
        new CoreServiceAdapter() {
          @Override
          public ApplicationId registerApplication(String name, Runnable preDeactivate) {
            hook = preDeactivate;
            return new DefaultApplicationId(7, name);
          }
        };
    manager.componentConfig =
        new ComponentConfigAdapter() {
          @Override
          public void registerProperties(Class<?> component) {
            calls.add("register " + component.getSimpleName());
          }

          @Override
          public void unregisterProperties(Class<?> component, boolean clear) {
            calls.add("unregister, clear = " + clear);
          }
        };
    manager.activate(OnosWorld.context(properties));
    manager
        .settings()
        .addListener(
            WithdrawStage.LINK,
            new SettingListener() {
              @Override
              public void changed(Parameters before, Parameters now) {
                calls.add("changed");
              }

              @Override
              public void withdraw() {
                calls.add("withdraw");
              }
            });
  }

  @Test
  void registersUnderItsNameAndReadsItsProperties() {
    activate(Map.of("controlPeriodMillis", "20"));

    assertThat(manager.id().name()).isEqualTo("org.sluice");
    assertThat(manager.settings().get(SettingTable.CONTROL_PERIOD_MILLIS)).isEqualTo(20);
    assertThat(calls).containsExactly("register SluiceManager");
  }

  @Test
  void changesReachListenersAndJournalAndRefusalsTheJournalAlone() {
    activate(Map.of());

    manager.modified(OnosWorld.context(Map.of("law", "sdn-gcc", "leaseMillis", "1")));

    assertThat(manager.settings().get(SettingTable.LAW)).isEqualTo(Law.SDN_GCC);
    assertThat(manager.settings().get(SettingTable.LEASE_MILLIS)).isEqualTo(5000);
    assertThat(calls).contains("changed");
    assertThat(manager.journal().entries(-1, Optional.empty(), 10))
        .extracting(JournalEntry::kind)
        .containsExactly(JournalEntry.Kind.SETTING, JournalEntry.Kind.REFUSED);
    JournalEntry setting = manager.journal().entries(-1, Optional.empty(), 1).get(0);
    assertThat(setting.decision()).isEqualTo("law = sdn-gcc");
    assertThat(setting.evidence()).isEqualTo("before: law = sluice");
  }

  @Test
  void onosShutdownWithdrawsNothing() {
    activate(Map.of());

    manager.deactivate();

    assertThat(calls).doesNotContain("withdraw").contains("unregister, clear = false");
    hook.run(); // A hook of an earlier instance.
    assertThat(calls).doesNotContain("withdraw");
  }

  @Test
  void deactivationWithdrawsEverythingAndKeepsWhatAnOperatorSet() {
    activate(Map.of());

    hook.run();

    manager.deactivate();
    assertThat(calls).endsWith("withdraw", "unregister, clear = false");
  }

  /** ONOS takes names, types and defaults from a file beside the class, made from the table. */
  @Test
  void everySettingIsDefinedInOnos() throws Exception {
    Map<String, String> defaults = new HashMap<>();
    try (BufferedReader in =
        new BufferedReader(
            new InputStreamReader(
                SluiceManager.class.getResourceAsStream("SluiceManager.cfgdef"), UTF_8))) {
      for (String line : in.lines().collect(Collectors.toList())) {
        String[] fields = line.split("\\|", 4);
        assertThat(fields).as(line).hasSize(4);
        assertThat(fields[1]).isIn("STRING", "INTEGER");
        assertThat(fields[3]).as(line).isNotBlank();
        defaults.put(fields[0], fields[2]);
      }
    }

    Map<String, String> expected = new HashMap<>();
    for (Setting<?> setting : SettingTable.all()) {
      expected.put(setting.name(), setting.write(setting.defaultValue()));
    }
    assertThat(defaults).isEqualTo(expected);
  }
}
