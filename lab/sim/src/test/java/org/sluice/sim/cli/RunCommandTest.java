// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.sim.scenario.Fixtures;
import picocli.CommandLine;

/** What the command prints, and how it ends. */
class RunCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir private Path directory;

  private int run(String... arguments) {
    CommandLine commandLine = Main.commandLine();
    commandLine.setOut(new PrintWriter(out, true));
    commandLine.setErr(new PrintWriter(err, true));
    return commandLine.execute(arguments);
  }

  private int runTiny(String... more) {
    List<String> arguments = new ArrayList<>();
    arguments.add(Fixtures.directory().resolve("tiny.yaml").toString());
    arguments.addAll(List.of("--seeds", "1", "--out", directory.toString()));
    arguments.addAll(List.of(more));
    return run(arguments.toArray(String[]::new));
  }

  @Test
  void endsWith0WhereNothingFails() throws IOException {
    Path json = directory.resolve("result.json");

    assertThat(runTiny("--json", json.toString(), "--jobs", "2")).isZero();
    assertThat(out.toString()).contains("steady: none").contains("pass");
    assertThat(err.toString()).contains("2 cases, 1 seeds, 2 jobs").contains("2 of 2 runs, 100 %");
    assertThat(Files.readString(json)).contains("\"scenario\" : \"tiny\"");
    assertThat(directory.resolve("runs.csv")).isRegularFile();
  }

  @Test
  void endsWith1WhereAFigureFails() {
    assertThat(runTiny("--set", "figures.0.paper=80")).isEqualTo(1);
    assertThat(out.toString()).contains("fail");
  }

  @Test
  void endsWith2OnAnErrorInTheScenario() {
    assertThat(runTiny("--set", "flows.steady.rat=1 Mbit/s")).isEqualTo(2);
    assertThat(err.toString())
        .startsWith(
            "--set flows.steady.rat=1 Mbit/s: flows.steady.rat: unknown key; did you mean rate?")
        .doesNotContain("at org.sluice");
    assertThat(run(Fixtures.directory().resolve("invalid-no-unit.yaml").toString())).isEqualTo(2);
    assertThat(err.toString()).contains("invalid-no-unit.yaml:5: duration: ");
  }

  @Test
  void endsWith2OnWrongUsage() {
    assertThat(run()).isEqualTo(2);
    assertThat(err.toString()).contains("no scenario is named");
    assertThat(run("no-such-scenario")).isEqualTo(2);
    assertThat(err.toString()).contains("no such scenario or file");
    assertThat(runTiny("--jobs", "0")).isEqualTo(2);
    assertThat(runTiny("--seeds", "many")).isEqualTo(2);
    assertThat(runTiny("--cases", "red")).isEqualTo(2);
    assertThat(err.toString()).contains("no case is called red");
    assertThat(runTiny("--colour")).isEqualTo(2);
  }

  @Test
  void runsOnlyTheSelectedCases() {
    assertThat(runTiny("--cases", "slui*")).isZero();
    assertThat(out.toString()).contains("used: sluice").doesNotContain("none");
  }

  @Test
  void describesWithoutRunning() {
    assertThat(runTiny("--describe")).isZero();
    assertThat(out.toString())
        .startsWith("tiny: Two senders for a fifth of a second")
        .contains("duration: 200 ms, seeds: 1")
        .contains("cases to run: 2 of 2")
        .contains("steady (steady)");
    assertThat(directory.resolve("runs.csv")).doesNotExist();
  }

  @Test
  void numbersBesideTheScenarioAreJudged() throws IOException {
    Path own = Files.writeString(directory.resolve("own.yaml"), Fixtures.text("tiny.yaml"));
    Path expected = directory.resolve("own.expected.json");
    String[] command = {
      own.toString(), "--cases", "none", "--seeds", "1", "--out", directory.toString()
    };

    Files.writeString(expected, "{\"steady\": 40}");
    assertThat(run(command)).isZero();
    Files.writeString(expected, "{\"steady\": 80}");
    assertThat(run(command)).isEqualTo(1);
    assertThat(out.toString()).containsPattern("steady: none +Mbit/s +80 .*fail");
    Files.writeString(expected, "{\"unsteady\": 80}");
    assertThat(run(command)).isEqualTo(2);
    assertThat(err.toString()).contains("own.expected.json: unsteady: ");
  }

  @Test
  void oneSeedIsRepeated() throws IOException {
    Path json = directory.resolve("result.json");
    String tiny = Fixtures.directory().resolve("tiny.yaml").toString();
    String out = directory.toString();

    assertThat(run(tiny, "--seed", "2", "--out", out, "--json", json.toString())).isZero();
    assertThat(Files.readString(json)).contains("\"seed\" : 2").doesNotContain("\"seed\" : 1");
    assertThat(run(tiny, "--seed", "2", "--seeds", "3", "--out", out)).isEqualTo(2);
    assertThat(run(tiny, "--seed", "0", "--out", out)).isEqualTo(2);
    assertThat(err.toString()).contains("--seed is one seed from 1 on");
  }

  @Test
  void randomFabricsAreShownAsDistributionsOrByEndpoint() throws IOException {
    Path json = directory.resolve("result.json");
    String random = Fixtures.directory().resolve("random.yaml").toString();
    String files = directory.toString();

    assertThat(run(random, "--out", files, "--json", json.toString())).isZero();
    assertThat(out.toString())
        .contains("all: 3 random fabrics", "| worst endpoint, % | 3 |", "seeds, the worst first:");
    assertThat(Files.readString(json)).contains("\"fabrics\"", "\"bad\"", "\"endpoints\"");
    assertThat(directory.resolve("endpoints.csv")).isRegularFile();
    assertThat(directory.resolve("deviation.png")).isRegularFile();

    assertThat(run(random, "--seed", "2", "--out", files)).isZero();
    assertThat(out.toString())
        .contains(
            "all, seed 2: ", "| endpoint | tenant | weight | sends | due | got | deviation |");
    assertThat(run(random, "--seed", "2", "--describe")).isZero();
    assertThat(out.toString()).contains("kind: custom", "transport: ");
  }

  @Test
  void listsTheScenarios() {
    System.setProperty("sluice.sim.scenarios", "scenarios");
    try {
      assertThat(run("--list", "--names")).isZero();
      assertThat(out.toString().lines()).contains("gcc-fig4", "leaf-spine-1024");
      assertThat(run("--list")).isZero();
      assertThat(out.toString()).containsPattern("gcc-fig4 +SDN-GCC, HyGenICC and Sluice");
    } finally {
      System.clearProperty("sluice.sim.scenarios");
    }
  }

  @Test
  void printsHelp() {
    assertThat(run("--help")).isZero();
    assertThat(out.toString()).contains("Usage: lab/sim/run").contains("--set=KEY=VALUE");
  }
}
