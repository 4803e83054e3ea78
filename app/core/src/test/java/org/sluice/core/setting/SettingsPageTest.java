// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.setting;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class SettingsPageTest {
  private static final Path TOP = Path.of("../..");
  private static final Path PAGE = TOP.resolve("docs/settings.md");
  private static final Path OVERLAY =
      TOP.resolve("web-gui/overlay/src/main/resources/org/sluice/overlay/TopologyOverlay.cfgdef");

  @Test
  void everySettingHasOnePlace() {
    assertThat(SettingsPage.settings()).containsExactlyInAnyOrderElementsOf(SettingTable.all());
  }

  @Test
  void thePageSaysWhatTheTableSays() throws Exception {
    String expected = SettingsPage.text(Files.readAllLines(OVERLAY));
    if (Boolean.getBoolean("sluice.update")) {
      Files.writeString(PAGE, expected);
    }
    assertThat(Files.readString(PAGE))
        .as("docs/settings.md is generated: run `make docs`")
        .isEqualTo(expected);
  }
}
