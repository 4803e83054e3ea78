// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.setting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.sluice.core.testing.FakeDiagnosis;

class SettingsTest {
  private final Settings settings = new Settings(warning -> {});
  private final List<String> received = new ArrayList<>();

  private final class Recorder implements SettingListener {
    private final String name;

    Recorder(String name) {
      this.name = name;
    }

    @Override
    public void changed(Parameters before, Parameters now) {
      received.add(
          name
              + " "
              + before.get(SettingTable.CONTROL_PERIOD_MILLIS)
              + "->"
              + now.get(SettingTable.CONTROL_PERIOD_MILLIS));
    }

    @Override
    public void withdraw() {
      received.add(name + " withdraws");
    }
  }

  private static Function<String, ?> period(int millis) {
    return Map.of("controlPeriodMillis", millis)::get;
  }

  @Test
  void listenersReceiveChangesOnly() {
    settings.addListener(WithdrawStage.LINK, new Recorder("a"));

    settings.read(period(5));
    settings.read(period(9));
    settings.read(period(9));

    assertThat(received).containsExactly("a 5->9");
  }

  @Test
  void failingListenerDoesNotAffectOthers() {
    settings.addListener(
        WithdrawStage.LINK,
        new SettingListener() {
          @Override
          public void changed(Parameters before, Parameters now) {
            throw new IllegalStateException("on purpose");
          }
        });
    settings.addListener(WithdrawStage.LINK, new Recorder("a"));

    settings.read(period(9));

    assertThat(received).containsExactly("a 5->9");
  }

  @Test
  void listenersAreWithdrawnByStage() {
    settings.addListener(WithdrawStage.FORWARDING, new Recorder("late"));
    settings.addListener(WithdrawStage.LINK, new Recorder("early"));

    settings.withdraw();

    assertThat(received).containsExactly("early withdraws", "late withdraws");
  }

  @Test
  void removedListenerReceivesNothing() {
    Recorder recorder = new Recorder("a");
    settings.addListener(WithdrawStage.LINK, recorder);
    settings.removeListener(recorder);

    settings.read(period(9));
    settings.withdraw();

    assertThat(received).isEmpty();
  }

  @Test
  void operatorReadsAndWritesSettingsByName() {
    OperatorSettings operator = new OperatorSettings(settings, new FakeDiagnosis());
    assertThat(operator.value("controlPeriodMillis"))
        .isEqualTo(String.valueOf(SettingTable.CONTROL_PERIOD_MILLIS.defaultValue()));
    settings.read(period(9));
    assertThat(operator.value("controlPeriodMillis")).isEqualTo("9");
    assertThat(operator.value("caps")).isEqualTo("off");
    assertThat(operator.command("caps", "sluice")).isEqualTo("set caps sluice");
    assertThatThrownBy(() -> operator.value("cap")).hasMessage("There is no setting cap");
  }
}
