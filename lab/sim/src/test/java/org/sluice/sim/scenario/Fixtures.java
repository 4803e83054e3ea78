// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.sluice.sim.scenario.plan.Glob;
import org.sluice.sim.scenario.plan.Scenario;
import org.sluice.sim.scenario.plan.Setting;

/** The scenario files that tests read. */
public final class Fixtures {
  private Fixtures() {}

  /** Two senders, two cases, two seeds, 200 ms. */
  public static Scenario tiny(String... settings) {
    return read("tiny.yaml", settings);
  }

  public static Scenario read(String file, String... settings) {
    return Scenario.read(file, text(file), settings(settings), false, null);
  }

  public static Scenario quick(String file, Glob choice, String... settings) {
    return Scenario.read(file, text(file), settings(settings), true, choice);
  }

  private static List<Setting> settings(String... settings) {
    return Stream.of(settings).map(Setting::parse).toList();
  }

  public static String text(String file) {
    try {
      return Files.readString(directory().resolve(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static Path directory() {
    try {
      return Path.of(Fixtures.class.getResource("tiny.yaml").toURI()).getParent();
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
