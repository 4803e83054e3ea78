// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.spi.ReplicatedMap.Versioned;
import org.sluice.core.spi.ReplicatedStorage;
import org.sluice.core.testing.ReplicatedMapConformance;

class FileStorageTest extends ReplicatedMapConformance {
  @TempDir private Path directory;
  private FileStorage storage;

  @BeforeEach
  void open() throws IOException {
    storage = FileStorage.open(directory);
  }

  @AfterEach
  void close() throws IOException {
    storage.close();
  }

  @Override
  protected ReplicatedStorage storage() {
    return storage;
  }

  private void reopen() throws IOException {
    close();
    open();
  }

  @Test
  void aRestartKeepsEntriesAndUsesNoVersionAgain() throws IOException {
    storage.map("tenants").put("a", "1");
    storage.map("policies").put("a", "ä 2");
    storage.map("tenants").put("b", "1");
    long last = storage.map("tenants").get("b").orElseThrow().version();
    storage.map("tenants").remove("b");
    Map<String, Versioned> tenants = storage.map("tenants").entries();
    reopen();

    assertThat(storage.map("tenants").entries()).isEqualTo(tenants).containsOnlyKeys("a");
    assertThat(storage.map("policies").get("a").orElseThrow().value()).isEqualTo("ä 2");
    storage.map("tenants").put("b", "2");
    assertThat(storage.map("tenants").get("b").orElseThrow().version()).isGreaterThan(last);
  }

  @Test
  void theFileIsMadeAnewWhenItHasGrown() throws IOException {
    ReplicatedMap map = storage.map("tenants");
    map.put("kept", "1");
    String large = "x".repeat(1 << 20);
    for (int i = 0; i < 40; i++) {
      map.put("a", large + i);
    }
    map.put("last", "2");

    assertThat(Files.size(directory.resolve("store.mv"))).isLessThan(30 << 20);
    Map<String, Versioned> entries = map.entries();
    reopen();
    assertThat(storage.map("tenants").entries()).isEqualTo(entries).hasSize(3);
  }
}
