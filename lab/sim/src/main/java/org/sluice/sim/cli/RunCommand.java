// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.sluice.sim.report.ComparisonReport;
import org.sluice.sim.report.FabricReport;
import org.sluice.sim.report.ReportFiles;
import org.sluice.sim.report.Result;
import org.sluice.sim.report.TableReport;
import org.sluice.sim.scenario.plan.Expectations;
import org.sluice.sim.scenario.plan.Glob;
import org.sluice.sim.scenario.plan.Scenario;
import org.sluice.sim.scenario.plan.Setting;
import org.sluice.sim.scenario.run.Run;
import org.sluice.sim.scenario.run.Runner;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs a scenario and judges what comes of it. */
@Command(
    name = "lab/sim/run",
    description = "Simulates a scenario and holds its figures against the paper's.",
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:no figure has failed",
      "1:a figure has failed, or the run broke down",
      "2:wrong usage, or an error in the scenario"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  lab/sim/run gcc-fig4 --jobs 2 --json fig4.json",
      "  lab/sim/run gcc-fig4 --quick --cases '*/UDP'",
      "  lab/sim/run gcc-fig6 --set control.delay=2ms --set flows.tagged.start=5s",
      "  lab/sim/run my-scenario.yaml --describe",
      "  lab/sim/run fabrics --seeds 40",
      "  lab/sim/run fabrics --seed 7"
    })
final class RunCommand implements Callable<Integer> {
  private static final String SCENARIOS_PROPERTY = "sluice.sim.scenarios";

  @Spec private CommandSpec spec;

  @Parameters(
      arity = "0..1",
      paramLabel = "SCENARIO",
      description = "a scenario's name, or a YAML file")
  private String scenario;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description = "put a value in the scenario's place, in every case (dotted key; repeatable)")
  private List<String> sets = new ArrayList<>();

  @Option(
      names = "--cases",
      paramLabel = "NAMES",
      description = "run these cases only (* for any text, a comma between several)")
  private String cases;

  @Option(names = "--seeds", paramLabel = "N", description = "run seeds 1 to N")
  private Integer seeds;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "run this seed alone; of a random fabric every endpoint is shown")
  private Integer seed;

  @Option(
      names = "--jobs",
      paramLabel = "N",
      description = "so many runs at once (default: the processors there are)")
  private Integer jobs;

  @Option(names = "--quick", description = "the scenario's shorter form: fewer seeds and cases")
  private boolean quick;

  @Option(names = "--json", paramLabel = "FILE", description = "write the result there")
  private Path json;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "CSV files and plots go there (default: out/SCENARIO)")
  private Path out;

  @Option(names = "--list", description = "list the scenarios and end")
  private boolean list;

  @Option(names = "--names", description = "with --list: names alone")
  private boolean names;

  @Option(names = "--describe", description = "show what would be run, and end")
  private boolean describe;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "show this and end")
  private boolean help;

  @Override
  public Integer call() throws IOException {
    Library library = new Library(Path.of(System.getProperty(SCENARIOS_PROPERTY, "scenarios")));
    if (list) {
      return list(library);
    }
    if (scenario == null) {
      throw usage("no scenario is named; --list shows which there are");
    }
    int atOnce = jobs == null ? Runtime.getRuntime().availableProcessors() : jobs;
    if (atOnce < 1) {
      throw usage("--jobs must be at least 1, not " + atOnce);
    }
    if (seed != null && (seed < 1 || seeds != null)) {
      throw usage("--seed is one seed from 1 on, and --seeds are several: give one of them");
    }
    Path file = library.find(scenario);
    Scenario read = read(file);
    if (read.chosen().isEmpty()) {
      throw usage("no case is called " + cases + "; --describe lists the cases");
    }
    if (describe) {
      out().print(Description.of(read));
      out().flush();
      return ExitCode.OK;
    }
    return run(read, atOnce);
  }

  private Scenario read(Path file) throws IOException {
    String source = file.toString();
    String text = Files.readString(file);
    List<Setting> settings = new ArrayList<>();
    Path expected =
        file.resolveSibling(
            file.getFileName().toString().replaceFirst("\\.[^.]*$", "") + ".expected.json");
    if (Files.isRegularFile(expected)) {
      settings.add(
          Expectations.figures(source, text, expected.toString(), Files.readString(expected)));
    }
    for (String set : sets) {
      settings.add(Setting.parse(set));
    }
    if (seeds != null) {
      settings.add(Setting.parse("seeds=" + seeds));
    }
    Scenario read =
        Scenario.read(source, text, settings, quick, cases == null ? null : new Glob(cases));
    return seed == null ? read : read.withSeed(seed);
  }

  @SuppressWarnings("SystemConsoleNull") // lab/sim/run keeps newer Javas to what 17 does.
  private int run(Scenario read, int atOnce) throws IOException {
    Runner.check(read);
    PrintWriter err = spec.commandLine().getErr();
    int runs = read.chosen().size() * read.runSeeds().size();
    err.printf(
        "%s: %d cases, %d seeds, %d jobs%n",
        read.name(), read.chosen().size(), read.runSeeds().size(), Math.min(atOnce, runs));
    err.flush();
    ProgressLine progress = new ProgressLine(err, runs, System.console() != null);
    List<Run> done = new Runner(read, progress).run(Math.min(atOnce, runs));
    Result result = Result.of(read, done);
    out().print(TableReport.text(result));
    out().print(FabricReport.text(result));
    out().print(ComparisonReport.text(result));
    out().flush();
    if (json != null) {
      ReportFiles.writeJson(result, json);
    }
    Path directory = out != null ? out : Path.of("out", read.name());
    ReportFiles.writeAll(result, directory);
    err.println("CSV files and plots are in " + directory);
    err.flush();
    return result.hasFailed() ? ExitCode.SOFTWARE : ExitCode.OK;
  }

  private int list(Library library) throws IOException {
    for (String name : library.names()) {
      if (names) {
        out().println(name);
        continue;
      }
      Path file = library.find(name);
      Scenario read =
          Scenario.read(file.toString(), Files.readString(file), List.of(), false, null);
      out().printf("%-18s %s%n", name, read.title());
    }
    out().flush();
    return ExitCode.OK;
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }

  private ParameterException usage(String complaint) {
    CommandLine commandLine = spec.commandLine();
    return new ParameterException(commandLine, complaint);
  }
}
