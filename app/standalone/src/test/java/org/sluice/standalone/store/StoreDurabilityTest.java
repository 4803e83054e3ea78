// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import org.h2.mvstore.MVStore;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.spi.StorageUnavailableException;

/** What was accepted outlives processes, power and disks that are full. */
class StoreDurabilityTest {
  @TempDir private Path directory;

  @BeforeEach
  void repair() {
    FaultyDisk.repair();
  }

  private Path file() {
    return directory.resolve("store.mv");
  }

  private Process startProcess() throws IOException {
    return new ProcessBuilder(
            ProcessHandle.current().info().command().orElseThrow(),
            "-cp",
            System.getProperty("java.class.path"),
            StoreProcess.class.getName(),
            directory.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  @Test
  void aKilledProcessLosesNothingAndHeldItsDirectory() throws Exception {
    Process process = startProcess();
    String last = null;
    try (BufferedReader accepted = process.inputReader()) {
      for (int i = 0; i < 200; i++) {
        last = accepted.readLine();
      }
      assertThatThrownBy(() -> FileStorage.open(directory))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(directory + " is in use by process " + process.pid());
      // The other one closes what is to be read yet.
      process.toHandle().destroyForcibly();
      for (String line = accepted.readLine(); line != null; line = accepted.readLine()) {
        last = line;
      }
    } finally {
      process.destroyForcibly().waitFor();
    }
    try (FileStorage storage = FileStorage.open(directory)) {
      Map<String, ?> numbers = storage.map("numbers").entries();
      for (int i = 1; i <= Integer.parseInt(last); i++) {
        assertThat(numbers).containsKey(String.valueOf(i));
      }
    }
  }

  private record Failure(byte[] content, Map<String, String> accepted) {}

  @Test
  void aPowerFailureLosesNothingThatWasAccepted() throws Exception {
    Random random = new Random(1);
    List<Failure> failures = new ArrayList<>();
    Map<String, String> accepted = new ConcurrentHashMap<>();
    try (FileStorage storage = FileStorage.open(directory, FaultyDisk.SCHEME)) {
      FaultyDisk.beforeEachCall(
          () -> {
            // What had been accepted before.
            Map<String, String> until = Map.copyOf(accepted);
            failures.add(new Failure(FaultyDisk.afterPowerFailure(random), until));
          });
      ExecutorService threads = Executors.newFixedThreadPool(3);
      try {
        List<Future<?>> writers = new ArrayList<>();
        for (int thread = 0; thread < 3; thread++) {
          String name = "writer " + thread + ", key ";
          writers.add(
              threads.submit(
                  () -> {
                    for (int i = 0; i < 14; i++) {
                      String key = name + i % 7;
                      String value = i + " ".repeat(i * 400);
                      storage.map("values").put(key, value);
                      accepted.put(key, value);
                    }
                  }));
        }
        for (Future<?> writer : writers) {
          writer.get();
        }
      } finally {
        threads.shutdownNow();
      }
      FaultyDisk.repair();
    }
    assertThat(failures.size()).isGreaterThan(20);
    for (Failure failure : failures) {
      Files.write(file(), failure.content);
      try (FileStorage storage = FileStorage.open(directory)) {
        ReplicatedMap values = storage.map("values");
        failure.accepted.forEach(
            (key, value) ->
                assertThat(number(values.get(key).orElseThrow().value()))
                    .isGreaterThanOrEqualTo(number(value)));
        values.put("after", "power is back");
      }
    }
  }

  private static int number(String value) {
    return Integer.parseInt(value.strip());
  }

  @Test
  void aFullDiskCostsWritesUntilThereIsRoom() throws Exception {
    try (FileStorage storage = FileStorage.open(directory, FaultyDisk.SCHEME)) {
      FaultyDisk.fillUp(100_000);
      ReplicatedMap map = storage.map("values");
      Map<String, ReplicatedMap.Versioned> accepted = fill(map);
      assertThat(accepted).isNotEmpty();
      assertThat(map.entries()).isEqualTo(accepted);
      assertThat(map.putIfAbsent("0", "again")).isFalse();

      Path copy = Files.createDirectory(directory.resolve("killed"));
      Files.copy(file(), copy.resolve("store.mv"));
      try (FileStorage killed = FileStorage.open(copy)) {
        assertThat(killed.map("values").entries()).containsAllEntriesOf(accepted);
      }

      FaultyDisk.repair();
      map.put("there is", "room");
      map.remove("0");
      assertThat(map.entries()).hasSize(accepted.size());
    }
    Map<String, ReplicatedMap.Versioned> stored;
    try (FileStorage storage = FileStorage.open(directory, FaultyDisk.SCHEME)) {
      stored = storage.map("values").entries();
      assertThat(stored).containsKey("there is").doesNotContainKey("0");
    }
    FaultyDisk.fillUp(0);
    try (FileStorage storage = FileStorage.open(directory, FaultyDisk.SCHEME)) {
      assertThat(storage.map("values").entries()).isEqualTo(stored);
      assertThatThrownBy(() -> storage.map("values").put("1", "again"))
          .isInstanceOf(StorageUnavailableException.class);
    }
  }

  /** Writes until the disk is full; returns what was accepted. */
  private Map<String, ReplicatedMap.Versioned> fill(ReplicatedMap map) {
    assertThatThrownBy(
            () -> {
              for (int i = 0; ; i++) {
                map.put(String.valueOf(i), "x".repeat(5000));
              }
            })
        .isInstanceOf(StorageUnavailableException.class)
        .hasMessageContaining(file().toString())
        .hasMessageContaining("No space left on device")
        .hasMessageContaining("Make room in " + directory);
    return map.entries();
  }

  /** Leaves a file with two entries, as a process that was killed does. */
  private byte[] stored() throws IOException {
    try (FileStorage storage = FileStorage.open(directory)) {
      storage.map("tenants").put("a", "the first tenant");
      storage.map("tenants").put("b", "the second tenant");
    }
    return Files.readAllBytes(file());
  }

  private void assertRefused(byte[] content, String reason) throws IOException {
    Files.write(file(), content);
    assertThatThrownBy(() -> FileStorage.open(directory))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(file().toString())
        .hasMessageContaining(reason)
        .hasMessageContaining("put back a copy");
    assertThat(Files.readAllBytes(file())).isEqualTo(content);
  }

  private static byte[] changed(byte[] content, UnaryOperator<String> change) {
    String text = new String(content, StandardCharsets.ISO_8859_1);
    return change.apply(text).getBytes(StandardCharsets.ISO_8859_1);
  }

  @Test
  void aDamagedFileIsNotBegunAnew() throws IOException {
    byte[] content = stored();
    assertRefused(new byte[0], "cannot be read");
    assertRefused("no store".getBytes(StandardCharsets.UTF_8), "cannot be read");
    assertRefused(changed(content, text -> text.replace("first", "worst")), "checksum");
    assertRefused(
        ByteBuffer.wrap(content.clone()).put(new byte[2 * 4096]).array(), "cannot be read");
  }

  @Test
  void aFileOfANewerReleaseIsRefused() throws IOException {
    stored();
    try (MVStore newer = new MVStore.Builder().fileName(file().toString()).open()) {
      newer.setStoreVersion(2);
    }
    assertRefused(Files.readAllBytes(file()), "its format is 2, and this release's 1");
  }
}
