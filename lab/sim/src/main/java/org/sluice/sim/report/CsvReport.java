// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.report;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.sluice.sim.scenario.judge.Figure;
import org.sluice.sim.scenario.measure.GroupSeries;
import org.sluice.sim.scenario.measure.PortSeries;
import org.sluice.sim.scenario.measure.Recording;
import org.sluice.sim.scenario.measure.Timeline;
import org.sluice.sim.scenario.run.Run;

/** The result as comma-separated values (RFC 4180, line feeds). */
public final class CsvReport {
  private CsvReport() {}

  /** A line for each run: case, seed, work done, metrics. */
  public static String runs(Result result) {
    TreeSet<String> metrics = new TreeSet<>();
    result.runs().forEach(run -> metrics.addAll(run.metrics().keySet()));
    List<String> head =
        new ArrayList<>(List.of("case", "seed", "packetHops", "events", "cpuSeconds"));
    head.add("peakMegabytes");
    head.addAll(metrics);
    StringBuilder text = new StringBuilder(line(head));
    for (Run run : result.runs()) {
      List<String> cells = new ArrayList<>();
      cells.add(run.variant().name());
      cells.add(Integer.toString(run.seed()));
      cells.add(Long.toString(run.packetHops()));
      cells.add(Long.toString(run.events()));
      cells.add(Numbers.exact(run.cpuSeconds()));
      cells.add(Numbers.exact(run.peakMegabytes()));
      metrics.forEach(
          name -> cells.add(Numbers.exact(run.metrics().getOrDefault(name, Double.NaN))));
      text.append(line(cells));
    }
    return text.toString();
  }

  /** A line for each figure. */
  public static String figures(Result result) {
    StringBuilder text = new StringBuilder("name,unit,paper,ours,low,high,tolerance,verdict,why\n");
    for (Figure figure : result.figures()) {
      text.append(
          line(
              List.of(
                  figure.name(),
                  figure.unit(),
                  Numbers.exact(figure.paper().orElse(Double.NaN)),
                  Numbers.exact(figure.ours()),
                  Numbers.exact(figure.low()),
                  Numbers.exact(figure.high()),
                  figure.tolerance(),
                  figure.verdict().label(),
                  figure.why())));
    }
    return text.toString();
  }

  /**
   * A line for each reading: the end of its bin in seconds, each group's throughput in it in
   * Mbit/s, each port's utilisation in it and the packets waiting at its end.
   */
  public static String series(Recording recording) {
    List<GroupSeries> groups =
        recording.groups().stream().filter(each -> each.flows() > 0).toList();
    List<PortSeries> ports = recording.ports();
    List<String> head = new ArrayList<>(List.of("seconds"));
    groups.forEach(group -> head.add(group.name() + " Mbit/s"));
    ports.forEach(port -> head.add(port.name() + " utilisation"));
    ports.forEach(port -> head.add(port.name() + " packets"));
    StringBuilder text = new StringBuilder(line(head));
    Timeline timeline = recording.timeline();
    for (int reading = 1; reading <= timeline.bins(); reading++) {
      List<String> cells = new ArrayList<>();
      int at = reading;
      cells.add(Numbers.shown(timeline.seconds(at)));
      groups.forEach(group -> cells.add(Numbers.shown(group.totalMegabits(at - 1, at))));
      ports.forEach(port -> cells.add(Numbers.shown(port.utilisation(at - 1, at))));
      ports.forEach(port -> cells.add(Integer.toString(port.waitingPackets(at))));
      text.append(line(cells));
    }
    return text.toString();
  }

  static String line(List<String> cells) {
    StringBuilder line = new StringBuilder();
    for (String cell : cells) {
      line.append(line.isEmpty() ? "" : ",").append(quoted(cell));
    }
    return line.append('\n').toString();
  }

  private static String quoted(String cell) {
    boolean plain = cell.indexOf(',') < 0 && cell.indexOf('"') < 0 && cell.indexOf('\n') < 0;
    return plain ? cell : '"' + cell.replace("\"", "\"\"") + '"';
  }
}
