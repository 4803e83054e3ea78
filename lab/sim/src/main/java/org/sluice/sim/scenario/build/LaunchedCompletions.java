// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.build;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.sluice.sim.application.FlowLog;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.Port;
import org.sluice.sim.scenario.measure.Completions;
import org.sluice.sim.scenario.measure.ShortestRemaining;
import org.sluice.sim.scenario.measure.ShortestRemaining.Transfer;
import org.sluice.sim.transport.TcpParameters;

/**
 * Transfers as a launcher has logged them.
 *
 * @param mssBytes payload of a full packet
 */
record LaunchedCompletions(FlowLog log, int mssBytes) implements Completions {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final int BITS_PER_BYTE = 8;

  @Override
  public int count() {
    return log.count();
  }

  @Override
  public double[] millis(long atLeastBytes, long belowBytes) {
    return ofSizes(atLeastBytes, belowBytes)
        .mapToDouble(flow -> log.durationNanos(flow) / 1e6)
        .toArray();
  }

  @Override
  public double[] idealMillis(long latencyNanos, long atLeastBytes, long belowBytes) {
    Map<Host, Integer> numbers = new HashMap<>();
    List<Transfer> transfers = new ArrayList<>();
    for (int flow = 0; flow < log.count(); flow++) {
      transfers.add(
          new Transfer(
              log.startNanos(flow),
              number(numbers, log.source(flow).host()),
              number(numbers, log.destination(flow).host()),
              aloneNanos(flow)));
    }
    double[] durations = ShortestRemaining.durationsNanos(transfers);
    return ofSizes(atLeastBytes, belowBytes)
        .mapToDouble(flow -> (durations[flow] + latencyNanos) / 1e6)
        .toArray();
  }

  private static int number(Map<Host, Integer> numbers, Host host) {
    return numbers.computeIfAbsent(host, none -> numbers.size());
  }

  private IntStream ofSizes(long atLeastBytes, long belowBytes) {
    return IntStream.range(0, log.count())
        .filter(flow -> log.bytes(flow) >= atLeastBytes && log.bytes(flow) < belowBytes);
  }

  /** By its packets' bits, at the slower of both NICs. */
  private double aloneNanos(int flow) {
    long packets = (log.bytes(flow) + mssBytes - 1) / mssBytes;
    double bits = (log.bytes(flow) + packets * TcpParameters.HEADER_BYTES) * BITS_PER_BYTE;
    Port from = log.source(flow).host().nic();
    Port to = log.destination(flow).host().nic();
    long rate = Math.min(from.rateBitsPerSecond(), to.rateBitsPerSecond());
    return bits * NANOS_PER_SECOND / rate;
  }
}
