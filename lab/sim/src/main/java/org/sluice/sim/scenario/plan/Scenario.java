// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.plan;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.sluice.sim.scenario.document.Fields;
import org.sluice.sim.scenario.document.KeyPath;
import org.sluice.sim.scenario.document.ScenarioDocument;
import org.sluice.sim.scenario.document.SchemaCheck;
import org.sluice.sim.scenario.document.Similar;
import org.sluice.sim.scenario.document.YamlReader;

/** What a scenario file contains, with what was set from outside. */
public final class Scenario {
  private final Fields root;
  private final List<Variant> variants;
  private final List<Variant> chosen;
  private final List<FigureSpec> figures;
  private final List<PlotSpec> plots;
  private final List<TableSpec> tables;
  private final List<Integer> runSeeds;

  private Scenario(
      Fields root, List<Variant> variants, List<Variant> chosen, List<Integer> runSeeds) {
    this.root = root;
    this.variants = variants;
    this.chosen = chosen;
    this.runSeeds = runSeeds;
    this.figures = root.items("figures").stream().map(this::figure).toList();
    long duration = root.nanos("duration", 0);
    this.plots =
        root.items("plots").stream()
            .map(plot -> checked(plot, PlotSpec.of(plot, duration)))
            .toList();
    this.tables = root.items("tables").stream().map(this::table).toList();
  }

  /**
   * Reads a scenario and unfolds its variants.
   *
   * @param source the file's name, for messages
   * @param settings instead of what the file and its variants set
   * @param quick whether the file's own settings for {@code --quick} apply
   * @param choice which variants are to be run; null for all, or those of {@code --quick}
   * @throws org.sluice.sim.scenario.document.ScenarioException if anything is wrong with it
   */
  public static Scenario read(
      String source, String text, List<Setting> settings, boolean quick, Glob choice) {
    ScenarioDocument document = YamlReader.read(source, text);
    SchemaCheck schema = new SchemaCheck();
    schema.check(document);
    List<Setting> all = new ArrayList<>(quick ? quickSettings(document) : List.of());
    all.addAll(settings);
    all.forEach(setting -> setting.applyTo(document));
    schema.check(document);
    List<Variant> variants = VariantExpansion.unfold(document, all);
    Fields root = new Fields(document, KeyPath.ROOT);
    Glob wanted = choice != null || !quick ? choice : new Glob(root.at("quick").text("cases", "*"));
    List<Integer> runSeeds = IntStream.rangeClosed(1, root.integer("seeds", 1)).boxed().toList();
    // A key that is set may belong to the cases that are wanted alone.
    List<Variant> chosen = choose(variants, wanted);
    chosen.forEach(each -> schema.check(each.document()));
    return new Scenario(root, variants, chosen, runSeeds);
  }

  /** The same with one seed, from 1, which need not be among its own. */
  public Scenario withSeed(int seed) {
    return new Scenario(root, variants, chosen, List.of(seed));
  }

  private static List<Setting> quickSettings(ScenarioDocument document) {
    Fields quick = new Fields(document, KeyPath.ROOT).at("quick");
    Fields set = quick.at("set");
    List<Setting> settings = new ArrayList<>();
    KeyPath seeds = KeyPath.parse("seeds");
    settings.add(
        new Setting(
            seeds,
            YamlReader.value("", Integer.toString(quick.integer("seeds", 1))),
            document.origin(quick.path().child("seeds"))));
    for (String key : set.keys()) {
      var origin = document.origin(set.path().child(key));
      settings.add(new Setting(Setting.path(key, origin), set.raw(key), origin));
    }
    return settings;
  }

  private static List<Variant> choose(List<Variant> variants, Glob choice) {
    return choice == null
        ? variants
        : variants.stream().filter(each -> choice.matches(each.name())).toList();
  }

  private FigureSpec figure(Fields at) {
    FigureSpec figure = FigureSpec.of(at);
    checkCases(at, "cases", figure.cases());
    if (figure.above() != null) {
      checkCases(at, "above", figure.above());
    }
    if (figure.relativeTo() != null) {
      checkCases(at, "relativeTo", figure.relativeTo());
    }
    checkAxes(at, "per", figure.per());
    Set<String> combinations = new LinkedHashSet<>();
    for (Variant each : variants) {
      if (figure.cases().matches(each.name())) {
        String combination = combination(each, figure.per());
        combinations.add(combination);
        if (figure.judges(combination)) {
          checkMetric(at, "metric", each, figure.metric());
          if (figure.explanation() != null) {
            checkMetric(at.at("explained"), "metric", each, figure.explanation().metric());
          }
        }
      }
    }
    checkCombinations(at.at("paper"), figure.papers().keySet(), combinations);
    if (figure.notReproduced() != null) {
      Fields measured = at.at("notReproduced").at("measured");
      checkCombinations(measured, figure.notReproduced().combinations(), combinations);
    }
    return figure;
  }

  private static void checkCombinations(Fields at, Set<String> named, Set<String> known) {
    for (String combination : named) {
      if (!combination.isEmpty() && !known.contains(combination)) {
        throw at.problem(
            combination,
            "there is no such combination",
            "the combinations are " + String.join(", ", known));
      }
    }
  }

  private PlotSpec checked(Fields at, PlotSpec plot) {
    checkCases(at, "cases", plot.cases());
    checkAxes(at, "each", plot.each());
    if (!plot.x().isEmpty()) {
      checkAxes(at, "x", List.of(plot.x()));
    }
    for (Variant each : variants) {
      if (!plot.metric().isEmpty() && plot.cases().matches(each.name())) {
        checkMetric(at, "metric", each, plot.metric());
      }
    }
    return plot;
  }

  private TableSpec table(Fields at) {
    TableSpec table = TableSpec.of(at);
    checkAxes(at, "rows", List.of(table.rows()));
    List<Fields> columns = at.items("columns");
    for (int i = 0; i < columns.size(); i++) {
      checkColumn(columns.get(i), table.columns().get(i), table.rows());
    }
    return table;
  }

  private void checkColumn(Fields at, TableSpec.Column column, String axis) {
    checkCases(at, "cases", column.cases());
    Set<String> rows = new LinkedHashSet<>();
    for (Variant each : variants) {
      String row = each.values().get(axis);
      if (row == null || !column.cases().matches(each.name())) {
        continue;
      }
      if (!rows.add(row)) {
        throw at.problem(
            "cases", "there are several cases in the row of " + row, "choose one of them");
      }
      column.metrics().forEach(metric -> checkMetric(at, "metric", each, metric));
    }
    for (Glob named : column.instead().keySet()) {
      if (rows.stream().noneMatch(named::matches)) {
        throw at.at("instead")
            .problem(
                named.text(), "there is no such row", "the rows are " + String.join(", ", rows));
      }
    }
  }

  private void checkCases(Fields at, String key, Glob glob) {
    if (variants.stream().noneMatch(each -> glob.matches(each.name()))) {
      throw at.problem(key, "no case is called " + glob.text(), "--describe lists the cases");
    }
  }

  private void checkAxes(Fields at, String key, List<String> axes) {
    Set<String> known = new LinkedHashSet<>();
    variants.forEach(each -> known.addAll(each.values().keySet()));
    for (String axis : axes) {
      if (!known.contains(axis)) {
        throw at.problem(
            key, "there is no axis " + axis, "the axes are " + String.join(", ", known));
      }
    }
  }

  private static void checkMetric(Fields at, String key, Variant variant, String metric) {
    List<String> known = new Fields(variant.document(), KeyPath.ROOT).at("measure").keys();
    if (!known.contains(metric)) {
      String near = Similar.nearest(metric, known).map(n -> "did you mean " + n + "? ").orElse("");
      throw at.problem(
          key,
          "nothing is measured under the name " + metric + " in case " + variant.name(),
          near + "measured are " + String.join(", ", known));
    }
  }

  /** A variant's values along some axes, or all of them where none are named. */
  public static String combination(Variant variant, List<String> axes) {
    return axes.isEmpty() ? variant.name() : variant.along(axes);
  }

  public String name() {
    return root.text("scenario", "");
  }

  public String title() {
    return root.text("title", "");
  }

  public String source() {
    return root.text("source", "");
  }

  public String about() {
    return root.text("about", "").strip();
  }

  /** In rising order. */
  public List<Integer> runSeeds() {
    return runSeeds;
  }

  /** All that the scenario has. */
  public List<Variant> variants() {
    return variants;
  }

  /** Those that are to be run. */
  public List<Variant> chosen() {
    return chosen;
  }

  public List<FigureSpec> figures() {
    return figures;
  }

  public List<PlotSpec> plots() {
    return plots;
  }

  public List<TableSpec> tables() {
    return tables;
  }

  /** Of the base, for descriptions. */
  public Fields root() {
    return root;
  }
}
