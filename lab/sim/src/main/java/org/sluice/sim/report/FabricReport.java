// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.report;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.sluice.sim.fabric.Fabric;
import org.sluice.sim.fabric.Fabric.Sender;
import org.sluice.sim.fabric.Fabric.Tenant;
import org.sluice.sim.scenario.measure.EndpointShare;
import org.sluice.sim.scenario.run.Run;

/** Random fabrics in text: distributions and bad seeds, or, of one seed, every endpoint. */
public final class FabricReport {
  private static final MathContext DIGITS = new MathContext(3);

  private FabricReport() {}

  /** Empty where fabrics are not random. */
  public static String text(Result result) {
    StringBuilder text = new StringBuilder();
    if (result.scenario().runSeeds().size() == 1) {
      result.runs().stream().filter(run -> run.fabric() != null).forEach(run -> append(text, run));
      return text.toString();
    }
    FabricSummary.of(result).forEach(summary -> append(text, summary));
    return text.toString();
  }

  private static void append(StringBuilder text, FabricSummary summary) {
    int fabrics = summary.rows().isEmpty() ? 0 : summary.rows().get(0).fabrics();
    text.append(
        String.format(Locale.ROOT, "\n%s: %d random fabrics\n\n", summary.variant(), fabrics));
    text.append("| | fabrics | median | p90 | p99 | worst |\n");
    text.append("| --- | --- | --- | --- | --- | --- |\n");
    for (FabricSummary.Row row : summary.rows()) {
      text.append(
          String.format(
              Locale.ROOT,
              "| %s | %d | %s | %s | %s | %s |\n",
              row.name(),
              row.fabrics(),
              rounded(row.median()),
              rounded(row.p90()),
              rounded(row.p99()),
              rounded(row.worst())));
    }
    text.append(
        String.format(
            Locale.ROOT,
            "\nan endpoint is more than %.0f %% off in %d of %d; seeds, the worst first:\n",
            100 * FabricSummary.FAR,
            summary.bad().size(),
            fabrics));
    for (FabricSummary.Bad bad : summary.bad()) {
      text.append(
          String.format(
              Locale.ROOT,
              "  %3d  %s  %s of %s Mbit/s for %s: %s\n",
              bad.seed(),
              percent(bad.worst()),
              Numbers.shown(bad.worst().gotMegabits()),
              Numbers.shown(bad.worst().dueMegabits()),
              bad.worst().endpoint(),
              bad.fabric().words()));
    }
  }

  private static void append(StringBuilder text, Run run) {
    Fabric fabric = run.fabric();
    text.append(
        String.format(
            Locale.ROOT,
            "\n%s, seed %d: %s\n\n",
            run.variant().name(),
            run.seed(),
            fabric.words()));
    run.metrics()
        .forEach(
            (name, value) ->
                text.append(String.format(Locale.ROOT, "  %s: %s\n", name, rounded(value))));
    text.append("\n| endpoint | tenant | weight | sends | due | got | deviation |\n");
    text.append("| --- | --- | --- | --- | --- | --- | --- |\n");
    for (EndpointShare each : run.endpoints()) {
      Sender sender = sender(fabric, each.endpoint());
      text.append(
          String.format(
              Locale.ROOT,
              "| %s | %s | %d | %s | %s | %s | %s |\n",
              each.endpoint(),
              tenant(fabric, each.endpoint()),
              sender.weight(),
              sender.words(),
              Numbers.shown(each.dueMegabits()),
              Numbers.shown(each.gotMegabits()),
              percent(each)));
    }
  }

  /** A line for each endpoint of each run. */
  static String csv(List<Run> runs) {
    StringBuilder text = new StringBuilder();
    text.append(
        CsvReport.line(
            List.of(
                "case",
                "seed",
                "fabric",
                "endpoint",
                "tenant",
                "weight",
                "habit",
                "sends",
                "due",
                "got",
                "deviation")));
    for (Run run : runs) {
      for (EndpointShare each : run.endpoints()) {
        Sender sender = sender(run.fabric(), each.endpoint());
        text.append(
            CsvReport.line(
                List.of(
                    run.variant().name(),
                    Integer.toString(run.seed()),
                    run.fabric().words(),
                    each.endpoint(),
                    tenant(run.fabric(), each.endpoint()),
                    Integer.toString(sender.weight()),
                    sender.habit().name().toLowerCase(Locale.ROOT),
                    sender.words(),
                    Numbers.exact(each.dueMegabits()),
                    Numbers.exact(each.gotMegabits()),
                    Numbers.exact(each.deviation()))));
      }
    }
    return text.toString();
  }

  /** The part of the fabrics whose worst endpoint is no more than so far off, by case. */
  static Plot plot(Result result) {
    List<Curve> curves =
        FabricSummary.of(result).stream()
            .map(summary -> curve(summary.variant(), result.runs()))
            .toList();
    return new Plot(
        "deviation",
        result.scenario().title(),
        "worst endpoint of a fabric, % from what it is due",
        "share of fabrics",
        List.of(),
        curves);
  }

  private static Curve curve(String variant, List<Run> runs) {
    double[] xs =
        runs.stream()
            .filter(run -> run.variant().name().equals(variant) && !run.endpoints().isEmpty())
            .mapToDouble(run -> 100 * Math.abs(FabricSummary.worst(run).deviation()))
            .sorted()
            .toArray();
    double[] ys = new double[xs.length];
    Arrays.setAll(ys, i -> (i + 1.0) / ys.length);
    return new Curve(variant, xs, ys);
  }

  private static Sender sender(Fabric fabric, String endpoint) {
    return fabric.senders().stream()
        .filter(each -> each.endpoint().equals(endpoint))
        .findFirst()
        .orElseThrow();
  }

  private static String tenant(Fabric fabric, String endpoint) {
    return fabric.tenantOf(endpoint).map(Tenant::name).orElse("-");
  }

  private static String percent(EndpointShare share) {
    return String.format(Locale.ROOT, "%+.1f %%", 100 * share.deviation());
  }

  private static String rounded(double value) {
    return Double.isFinite(value)
        ? Numbers.shown(new BigDecimal(value).round(DIGITS).doubleValue())
        : "-";
  }
}
