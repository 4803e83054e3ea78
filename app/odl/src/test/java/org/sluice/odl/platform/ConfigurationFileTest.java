// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.platform;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.spi.OperatorConfiguration;
import org.sluice.core.testing.ConfigurationConformance;
import org.sluice.core.testing.VirtualTime;

class ConfigurationFileTest extends ConfigurationConformance {
  private static final long SEEN_MILLIS = 2_000;

  private final VirtualTime time = new VirtualTime();

  @TempDir private Path directory;

  @Override
  protected OperatorConfiguration begun(String document) {
    put(document);
    ConfigurationFile configuration = new ConfigurationFile(file());
    configuration.start(time.sequential("configuration"));
    return configuration;
  }

  @Override
  protected void write(String document) {
    put(document);
    time.advanceMillis(SEEN_MILLIS);
  }

  private Path file() {
    return directory.resolve("sluice.netcfg");
  }

  private void put(String document) {
    try {
      if (document.isEmpty()) {
        Files.deleteIfExists(file());
      } else {
        Files.writeString(file(), document);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
