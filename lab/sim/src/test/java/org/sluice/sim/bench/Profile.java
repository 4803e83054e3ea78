// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;

/** Where time goes, by the Flight Recorder's samples: per package, and the hottest methods. */
final class Profile {
  private static final String SAMPLE = "jdk.ExecutionSample";
  private static final int METHODS = 15;

  private Profile() {}

  /** Runs something and reports where its time went. */
  static String of(Runnable work) {
    try (Recording recording = new Recording()) {
      recording.enable(SAMPLE).withPeriod(Duration.ofMillis(10));
      recording.start();
      work.run();
      recording.stop();
      Path file = Files.createTempFile("simulator", ".jfr");
      try {
        recording.dump(file);
        return describe(tops(file));
      } finally {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("no place for the recording", e);
    }
  }

  private static List<RecordedFrame> tops(Path file) throws IOException {
    return RecordingFile.readAllEvents(file).stream()
        .filter(event -> event.getEventType().getName().equals(SAMPLE))
        .map(event -> event.getStackTrace())
        .filter(trace -> trace != null && runsTheSimulator(trace))
        .map(trace -> trace.getFrames().get(0))
        .toList();
  }

  private static boolean runsTheSimulator(RecordedStackTrace trace) {
    return trace.getFrames().stream()
        .anyMatch(frame -> frame.getMethod().getName().equals("runUntil"));
  }

  private static String describe(List<RecordedFrame> tops) {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(Locale.ROOT, "profile: %d samples, where the top frame is%n", tops.size()));
    append(text, tops, counts(tops, Profile::packageOf), Integer.MAX_VALUE);
    text.append(String.format("and the method%n"));
    append(text, tops, counts(tops, Profile::methodOf), METHODS);
    return text.toString();
  }

  private static void append(
      StringBuilder text, List<RecordedFrame> tops, Map<String, Long> counts, int limit) {
    counts.entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder()))
        .limit(limit)
        .forEach(
            entry ->
                text.append(
                    String.format(
                        Locale.ROOT,
                        "  %5.1f %%  %s%n",
                        100.0 * entry.getValue() / tops.size(),
                        entry.getKey())));
  }

  private static Map<String, Long> counts(
      List<RecordedFrame> tops, Function<RecordedFrame, String> key) {
    return tops.stream()
        .collect(Collectors.groupingBy(key, LinkedHashMap::new, Collectors.counting()));
  }

  private static String packageOf(RecordedFrame frame) {
    String type = frame.getMethod().getType().getName();
    return type.substring(0, type.lastIndexOf('.'));
  }

  private static String methodOf(RecordedFrame frame) {
    String type = frame.getMethod().getType().getName();
    return type.substring(type.lastIndexOf('.') + 1) + "." + frame.getMethod().getName();
  }
}
