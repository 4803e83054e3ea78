// SPDX-License-Identifier: Apache-2.0
package org.sluice.openflow;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.sluice.api.counters.CounterListener;
import org.sluice.api.counters.CounterTargets;
import org.sluice.api.counters.MeterSample;
import org.sluice.api.counters.PortSample;
import org.sluice.api.counters.SwitchCounters;

/**
 * Reads one true switch and prints how it goes, a line of JSON every 100 ms, until its standard
 * input ends: for tests and measurements outside of Java.
 *
 * <p>Arguments: address, TCP port, switch, ports as {@code NUMBER:CAPACITY,...}, meters as {@code
 * NUMBER:INPORT,...}; {@code -} for none.
 */
final class ReadOneSwitch implements CounterListener {
  private static final long LINE_MILLIS = 100;

  private final LongAdder portSamples = new LongAdder();
  private final LongAdder meterSamples = new LongAdder();
  private final LongAdder marks = new LongAdder();
  private final Map<Long, Long> rxPackets = new ConcurrentHashMap<>();

  private ReadOneSwitch() {}

  public static void main(String[] arguments) throws Exception {
    ReadOneSwitch reader = new ReadOneSwitch();
    FastCountersConfig config =
        FastCountersConfig.builder()
            .address(arguments[0])
            .port(Integer.parseInt(arguments[1]))
            .build();
    try (FastCounters counters = FastCounters.start(config, reader)) {
      counters.read(arguments[2], CounterTargets.of(numbers(arguments[3]), numbers(arguments[4])));
      while (System.in.available() == 0 && !System.out.checkError()) {
        System.out.println(reader.line(counters.switches()));
        TimeUnit.MILLISECONDS.sleep(LINE_MILLIS);
      }
    }
  }

  private static Map<Long, Long> numbers(String text) {
    Map<Long, Long> numbers = new HashMap<>();
    if (!text.equals("-")) {
      for (String pair : text.split(",")) {
        String[] both = pair.split(":");
        numbers.put(Long.valueOf(both[0]), Long.valueOf(both[1]));
      }
    }
    return numbers;
  }

  private String line(List<SwitchCounters> switches) {
    Map<String, Object> values = new TreeMap<>();
    values.put("connected", !switches.isEmpty());
    values.put("portSamples", portSamples.sum());
    values.put("meterSamples", meterSamples.sum());
    values.put("marks", marks.sum());
    values.put("rxPackets", rxPackets.values().stream().mapToLong(Long::longValue).sum());
    for (SwitchCounters one : switches) {
      values.put("requests", one.requests());
      values.put("replies", one.replies());
      values.put("timeouts", one.timeouts());
      values.put("messageBytes", one.messageBytes());
      values.put("replyMicrosP50", one.replyMicrosP50());
      values.put("replyMicrosP99", one.replyMicrosP99());
    }
    StringBuilder json = new StringBuilder("{");
    values.forEach(
        (name, value) -> json.append('"').append(name).append("\":").append(value).append(','));
    json.setCharAt(json.length() - 1, '}');
    return json.toString();
  }

  @Override
  public void portRead(PortSample sample) {
    portSamples.increment();
    rxPackets.merge(sample.port().number(), sample.rxPackets(), Long::sum);
  }

  @Override
  public void meterRead(MeterSample sample) {
    meterSamples.increment();
    marks.add(sample.packets());
  }
}
