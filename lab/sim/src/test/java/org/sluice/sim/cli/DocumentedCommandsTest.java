// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** The simulator's commands that the documents name are accepted as they stand. */
class DocumentedCommandsTest {
  private static final Path ROOT = Path.of("..", "..");
  private static final Pattern COMMAND = Pattern.compile("lab/sim/run ([a-z][^`#\\n]*)");

  /** One word, whose parts a shell would join: {@code --set control.period="10 ms"}. */
  private static final Pattern WORD = Pattern.compile("(?:\"[^\"]*\"|'[^']*'|[^\\s\"'])+");

  /** In a table of what was changed, such as {@code `law.gracePeriods=0.4`}. */
  private static final Pattern CHANGE =
      Pattern.compile("`((?:control|flows|law|queues|settings|tcp|topology)\\.[^`=]*=[^`]*)`");

  private static Set<String> commands() throws IOException {
    Set<String> commands = new TreeSet<>();
    addCommands(text(ROOT.resolve("README.md")), commands);
    try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
      files
          .filter(file -> file.toString().endsWith(".md"))
          .forEach(file -> addCommands(text(file), commands));
    }
    String notes = text(ROOT.resolve("docs/lab-notes/sdn-gcc.md"));
    CHANGE
        .matcher(notes)
        .results()
        .map(found -> "gcc-fig4 --cases 'SDN-GCC equal split/*' --set " + found.group(1))
        .forEach(commands::add);
    assertThat(commands).hasSizeGreaterThan(30);
    return commands;
  }

  private static void addCommands(String document, Set<String> to) {
    COMMAND
        .matcher(document)
        .results()
        .map(found -> found.group(1).strip())
        .filter(command -> !command.startsWith("my-own"))
        .filter(command -> !command.startsWith("cluster-faults")) // a test of core, by the script
        .forEach(to::add);
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @MethodSource("commands")
  void isAccepted(String command) {
    List<String> arguments = new ArrayList<>();
    Matcher words = WORD.matcher(command);
    words
        .results()
        .map(MatchResult::group)
        .map(DocumentedCommandsTest::unquoted)
        .forEach(arguments::add);
    if (!arguments.contains("--describe")) {
      arguments.add("--describe");
    }
    StringWriter errors = new StringWriter();
    CommandLine commandLine = Main.commandLine();
    commandLine.setOut(new PrintWriter(new StringWriter(), true));
    commandLine.setErr(new PrintWriter(errors, true));

    assertThat(commandLine.execute(arguments.toArray(String[]::new))).as("%s", errors).isZero();
  }

  private static String unquoted(String word) {
    return word.replace("\"", "").replace("'", "");
  }
}
