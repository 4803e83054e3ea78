// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.sluice.sim.scenario.document.Origin;
import org.sluice.sim.scenario.document.Problem;
import org.sluice.sim.scenario.document.ScenarioException;
import org.sluice.sim.scenario.document.Similar;

/** The scenarios that come with the simulator. */
final class Library {
  private static final String SUFFIX = ".yaml";

  private final Path directory;

  Library(Path directory) {
    this.directory = directory;
  }

  /** Names, sorted. */
  List<String> names() throws IOException {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(SUFFIX))
          .map(name -> name.substring(0, name.length() - SUFFIX.length()))
          .sorted()
          .toList();
    }
  }

  /**
   * The file that is meant by a name, or by a path.
   *
   * @throws ScenarioException if there is none
   */
  Path find(String nameOrFile) throws IOException {
    Path named = directory.resolve(nameOrFile + SUFFIX);
    if (!nameOrFile.contains("/") && Files.isRegularFile(named)) {
      return named;
    }
    Path file = Path.of(nameOrFile);
    if (Files.isRegularFile(file)) {
      return file;
    }
    List<String> names = names();
    String near =
        Similar.nearest(nameOrFile, names).map(n -> "did you mean " + n + "? ").orElse("");
    throw new ScenarioException(
        new Problem(
            new Origin(nameOrFile, 0),
            "",
            "there is no such scenario or file",
            near + "the scenarios are " + String.join(", ", names)));
  }
}
