// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.sluice.api.IpAddress;

/**
 * Collects from true switches and prints how it goes, a line of JSON every 100 ms, until its
 * standard input ends: for tests and measurements outside of Java.
 *
 * <p>Arguments: address, UDP port, the switches' addresses with commas between them.
 */
final class CollectSflow implements SflowListener {
  private static final long LINE_MILLIS = 100;

  private final Map<String, String> flows = new ConcurrentHashMap<>();
  private final Map<Long, Long> inOctets = new ConcurrentHashMap<>();

  private CollectSflow() {}

  public static void main(String[] arguments) throws Exception {
    CollectSflow listener = new CollectSflow();
    SflowConfig config =
        SflowConfig.builder()
            .address(arguments[0])
            .port(Integer.parseInt(arguments[1]))
            .agents(
                Arrays.stream(arguments[2].split(","))
                    .map(IpAddress::parse)
                    .collect(Collectors.toSet()))
            .build();
    try (SflowCollector collector = SflowCollector.start(config, listener)) {
      while (System.in.available() == 0 && !System.out.checkError()) {
        System.out.println(listener.line(collector.counts()));
        TimeUnit.MILLISECONDS.sleep(LINE_MILLIS);
      }
    }
  }

  private String line(SflowCounts counts) {
    return String.format(
        Locale.ROOT,
        "{\"datagrams\":%d,\"malformed\":%d,\"foreign\":%d,\"samples\":%d,\"unusable\":%d,"
            + "\"elsewhere\":%d,\"lostDatagrams\":%d,\"lostSamples\":%d,\"restarts\":%d,"
            + "\"moved\":%d,\"interfaces\":%s,\"flows\":{%s}}",
        counts.datagrams(),
        counts.allMalformed() + counts.allMalformedSamples(),
        counts.foreign(),
        counts.flowSamples(),
        counts.unusable().values().stream().mapToLong(Long::longValue).sum(),
        counts.elsewhereCounted(),
        counts.lostDatagrams(),
        counts.lostSamples(),
        counts.restarts(),
        counts.movedFlows(),
        inOctets.keySet(),
        String.join(",", flows.values()));
  }

  @Override
  public void flowsSampled(List<FlowEstimate> estimates) {
    for (FlowEstimate each : estimates) {
      String name = each.protocol() + " " + each.flow();
      flows.put(
          name,
          String.format(
              Locale.ROOT,
              "\"%s\":{\"sentBytes\":%d,\"standardErrorBytes\":%.0f,\"samples\":%d,"
                  + "\"state\":\"%s\",\"agent\":\"%s\"}",
              name,
              each.sentBytes(),
              each.standardErrorBytes(),
              each.samples(),
              each.state(),
              each.agent()));
    }
  }

  @Override
  public void interfaceRead(InterfaceCounters counters) {
    inOctets.put(counters.ifIndex(), counters.inOctets());
  }
}
