// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.fairness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.sluice.sim.fairness.CaseKind.Size;

/**
 * How far random networks are from hierarchical weighted max-min shares with demands: of every case
 * the endpoint that is off by most, as a part of what it is due. Inside the domain of the law, and
 * of all cases as drawn.
 *
 * <p>{@code FairnessBench [--cases N] [--from SEED] [--json FILE]}, N cases of each kind of network
 * without packets and a tenth of that with; {@code --show ROW KIND SEED} prints one case and what
 * came of it. Exit 0 if all rows that are judged keep their bounds, else 1.
 */
public final class FairnessBench {
  private static final Size DECISIONS = new Size(6, 20, 16, 100, 1000);
  private static final Size PACKETS = PacketProperties.SIZE;

  private FairnessBench() {}

  /** What is run, and of which cases. */
  private enum Row {
    DECISIONS_INSIDE("decisions, inside", 0.03),
    DECISIONS_UNDIVIDED("decisions, ceilings undivided", Double.NaN),
    DECISIONS_ALL("decisions, all", Double.NaN),
    UDP_INSIDE("packets, UDP, inside", 0.05),
    TCP_INSIDE("packets, TCP and UDP, inside", 0.05),
    PACKETS_ALL("packets, all", Double.NaN);

    final String label;

    /** What 99 of 100 are to keep at one port; of the decisions alone over several ports, too. */
    final double bound;

    Row(String label, double bound) {
      this.label = label;
      this.bound = bound;
    }

    boolean hasPackets() {
      return this == UDP_INSIDE || this == TCP_INSIDE || this == PACKETS_ALL;
    }

    boolean isJudged(CaseKind kind) {
      return this == DECISIONS_INSIDE || (kind == CaseKind.ONE_PORT && !Double.isNaN(bound));
    }

    FairnessCase draw(CaseKind kind, long seed) {
      FairnessCase drawn = kind.draw(seed, hasPackets() ? PACKETS : DECISIONS);
      return switch (this) {
        case DECISIONS_INSIDE -> Domain.inside(drawn);
        case DECISIONS_UNDIVIDED -> Domain.withoutDividedCeilings(drawn);
        case UDP_INSIDE -> Domain.ofPackets(drawn, false);
        case TCP_INSIDE -> Domain.ofPackets(drawn, true);
        default -> drawn;
      };
    }

    List<Outcome> run(FairnessCase drawn, long seed) {
      return hasPackets() ? List.of(new PacketRun(drawn, seed).run()) : new FluidRun(drawn).run();
    }
  }

  /** The errors of a row's cases of one kind, the least first. */
  private record Distribution(Row row, CaseKind kind, double[] errors, long worstSeed) {
    double percentile(int percent) {
      return errors[(errors.length - 1) * percent / 100];
    }

    boolean isKept() {
      return !row.isJudged(kind) || percentile(99) <= row.bound;
    }

    long over(double error) {
      return Arrays.stream(errors).filter(each -> each > error).count();
    }

    String line() {
      return String.format(
          Locale.ROOT,
          "%-29s %-9s %5d cases: median %5.1f %%, p90 %6.1f %%, p99 %6.1f %%, max %7.1f %% (seed %d);"
              + " %d over 3 %%, %d over 5 %%%s",
          row.label,
          kind.label(),
          errors.length,
          100 * percentile(50),
          100 * percentile(90),
          100 * percentile(99),
          100 * percentile(100),
          worstSeed,
          over(0.03),
          over(0.05),
          isKept() ? "" : "; p99 is over its bound of " + 100 * row.bound + " %");
    }

    String json() {
      return String.format(
          Locale.ROOT,
          "{\"row\":\"%s\",\"kind\":\"%s\",\"cases\":%d,\"median\":%.5f,\"p90\":%.5f,"
              + "\"p99\":%.5f,\"max\":%.5f,\"worstSeed\":%d,\"over3Percent\":%d,"
              + "\"over5Percent\":%d,\"isJudged\":%b,\"isKept\":%b}",
          row,
          kind,
          errors.length,
          percentile(50),
          percentile(90),
          percentile(99),
          percentile(100),
          worstSeed,
          over(0.03),
          over(0.05),
          row.isJudged(kind),
          isKept());
    }
  }

  /** Prints a line per row and kind. */
  public static void main(String[] arguments) throws IOException {
    List<String> options = List.of(arguments);
    if (options.contains("--show")) {
      show(options.subList(options.indexOf("--show") + 1, options.size()));
      return;
    }
    int cases = Integer.parseInt(option(options, "--cases", "1000"));
    long from = Long.parseLong(option(options, "--from", "1"));
    List<Distribution> all = new ArrayList<>();
    for (Row row : Row.values()) {
      for (CaseKind kind : CaseKind.values()) {
        int count = Math.max(1, row.hasPackets() ? cases / 10 : cases);
        Distribution distribution = measure(row, kind, from, count);
        System.out.println(distribution.line());
        all.add(distribution);
      }
    }
    String file = option(options, "--json", "");
    if (!file.isEmpty()) {
      String text = String.join(",\n", all.stream().map(Distribution::json).toList());
      Files.writeString(Path.of(file), "[" + text + "]\n");
    }
    System.exit(all.stream().allMatch(Distribution::isKept) ? 0 : 1);
  }

  private static String option(List<String> options, String name, String otherwise) {
    int at = options.indexOf(name);
    return at < 0 ? otherwise : options.get(at + 1);
  }

  private static Distribution measure(Row row, CaseKind kind, long from, int count) {
    double[] errors = new double[count];
    double worst = -1;
    long worstSeed = from;
    for (int i = 0; i < count; i++) {
      long seed = from + i;
      errors[i] = Outcome.worst(row.run(row.draw(kind, seed), seed)).error();
      if (errors[i] > worst) {
        worst = errors[i];
        worstSeed = seed;
      }
    }
    Arrays.sort(errors);
    return new Distribution(row, kind, errors, worstSeed);
  }

  private static void show(List<String> which) {
    Row row = Row.valueOf(which.get(0).toUpperCase(Locale.ROOT));
    CaseKind kind = CaseKind.valueOf(which.get(1).toUpperCase(Locale.ROOT));
    long seed = Long.parseLong(which.get(2));
    FairnessCase drawn = row.draw(kind, seed);
    System.out.println(drawn);
    row.run(drawn, seed).forEach(System.out::println);
  }
}
