// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.setting;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Dictionary;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SettingsTest {
  private final Settings settings = new Settings(warning -> {});
  private final List<String> heard = new ArrayList<>();

  private final class Recorder implements SettingListener {
    private final String name;

    Recorder(String name) {
      this.name = name;
    }

    @Override
    public void changed(Parameters before, Parameters now) {
      heard.add(name + " " + before.controlPeriodMillis() + "->" + now.controlPeriodMillis());
    }

    @Override
    public void withdraw() {
      heard.add(name + " withdraws");
    }
  }

  private static Dictionary<String, ?> period(int millis) {
    return new Hashtable<>(Map.of("controlPeriodMillis", millis));
  }

  @Test
  void listenersHearOfChangesOnly() {
    settings.addListener(1, new Recorder("a"));

    settings.read(period(5));
    settings.read(period(9));
    settings.read(period(9));

    assertThat(heard).containsExactly("a 5->9");
  }

  @Test
  void aFailingListenerKeepsNobodyFromHearing() {
    settings.addListener(
        1,
        (before, now) -> {
          throw new IllegalStateException("on purpose");
        });
    settings.addListener(1, new Recorder("a"));

    settings.read(period(9));

    assertThat(heard).containsExactly("a 5->9");
  }

  @Test
  void listenersWithdrawByStage() {
    settings.addListener(30, new Recorder("late"));
    settings.addListener(10, new Recorder("early"));

    settings.withdraw();

    assertThat(heard).containsExactly("early withdraws", "late withdraws");
  }

  @Test
  void whoWasRemovedHearsNothing() {
    Recorder recorder = new Recorder("a");
    settings.addListener(1, recorder);
    settings.removeListener(recorder);

    settings.read(period(9));
    settings.withdraw();

    assertThat(heard).isEmpty();
  }
}
