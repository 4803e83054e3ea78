// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.sluice.core.setting.Setting;
import org.sluice.core.setting.SettingTable;

/**
 * Writes the definitions of component properties that ONOS reads beside a component's class. Run by
 * the build, so that the {@link SettingTable} is their only source.
 */
public final class PropertyDefinitions {
  private PropertyDefinitions() {}

  /**
   * Writes them into a file.
   *
   * @param arguments the file
   */
  public static void main(String[] arguments) throws IOException {
    Path file = Path.of(arguments[0]);
    Files.createDirectories(file.getParent());
    Files.write(file, lines());
  }

  /** A line for each setting: name, type, default and description. */
  static List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (Setting<?> setting : SettingTable.all()) {
      boolean isNumber = setting.type().equals(Integer.class);
      lines.add(
          String.join(
              "|",
              setting.name(),
              isNumber ? "INTEGER" : "STRING",
              setting.write(setting.defaultValue()),
              setting.description() + (isNumber ? "; " + setting.accepted() : "")));
    }
    return lines;
  }
}
