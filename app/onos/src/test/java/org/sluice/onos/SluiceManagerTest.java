// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Field;
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
import org.sluice.onos.journal.JournalKeeper;
import org.sluice.onos.setting.Parameters;
import org.sluice.onos.setting.SettingListener;
import org.sluice.onos.testing.OnosWorld;

class SluiceManagerTest {
  private static final String DEFAULT = "_DEFAULT";

  private final SluiceManager manager = new SluiceManager();
  private final JournalKeeper journal = new JournalKeeper();
  private final List<String> calls = new ArrayList<>();
  private Runnable hook;

  private void activate(Map<String, Object> properties) {
    manager.chronicle = journal;
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
    manager.addListener(
        1,
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

    assertThat(manager.applicationId().name()).isEqualTo("org.sluice");
    assertThat(manager.parameters().controlPeriodMillis()).isEqualTo(20);
    assertThat(calls).containsExactly("register SluiceManager");
  }

  @Test
  void changesReachListenersAndTheJournalAndRefusalsTheJournalAlone() {
    activate(Map.of());

    manager.modified(OnosWorld.context(Map.of("law", "paper", "leaseMillis", "1")));

    assertThat(manager.parameters().law()).isEqualTo(Parameters.Law.PAPER);
    assertThat(manager.parameters().leaseMillis()).isEqualTo(5000);
    assertThat(calls).contains("changed");
    assertThat(journal.entries(-1, Optional.empty(), 10))
        .extracting(JournalEntry::kind)
        .containsExactly(JournalEntry.Kind.SETTING, JournalEntry.Kind.REFUSED);
    JournalEntry setting = journal.entries(-1, Optional.empty(), 1).get(0);
    assertThat(setting.decision()).isEqualTo("law = paper");
    assertThat(setting.evidence()).isEqualTo("before: law = sluice");
  }

  @Test
  void whenOnosStopsNothingIsTakenBack() {
    activate(Map.of());

    manager.deactivate();

    assertThat(calls).doesNotContain("withdraw").contains("unregister, clear = false");
    hook.run(); // A hook of an earlier life.
    assertThat(calls).doesNotContain("withdraw");
  }

  @Test
  void whenTheApplicationIsDeactivatedEverythingIsAndPropertiesToo() {
    activate(Map.of());

    hook.run();

    assertThat(calls).endsWith("withdraw", "unregister, clear = true");
  }

  /** ONOS takes names, types and defaults from a file beside the class. */
  @Test
  void theDefinitionsThatOnosReadsAgreeWithTheConstants() throws Exception {
    Map<String, String> defaults = new HashMap<>();
    try (BufferedReader in =
        new BufferedReader(
            new InputStreamReader(
                SluiceManager.class.getResourceAsStream("SluiceManager.cfgdef")))) {
      for (String line : in.lines().collect(Collectors.toList())) {
        String[] fields = line.split("\\|", 4);
        if (!line.startsWith("#")) {
          assertThat(fields).as(line).hasSize(4);
          assertThat(fields[1]).isIn("STRING", "INTEGER");
          assertThat(fields[3]).as(line).isNotBlank();
          defaults.put(fields[0], fields[2]);
        }
      }
    }

    Map<String, String> expected = new HashMap<>();
    for (Field constant : OsgiPropertyConstants.class.getDeclaredFields()) {
      if (!constant.isSynthetic() && !constant.getName().endsWith(DEFAULT)) {
        expected.put((String) constant.get(null), defaultOf(constant));
      }
    }
    assertThat(defaults).isEqualTo(expected);
  }

  private static String defaultOf(Field name) throws ReflectiveOperationException {
    try {
      return OsgiPropertyConstants.class.getField(name.getName() + DEFAULT).get(null).toString();
    } catch (NoSuchFieldException e) {
      return OsgiPropertyConstants.FILE_DEFAULT;
    }
  }
}
