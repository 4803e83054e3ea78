// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.platform;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.SluiceException;
import org.sluice.core.configuration.OperatorDocument;
import org.sluice.core.configuration.WrittenConfiguration;

/**
 * The operator's {@code etc/sluice.netcfg}: port capacities, first tenants, the inventory. It is
 * read again when it changes; what cannot be read leaves what holds, and is an error in the log.
 */
final class ConfigurationFile extends WrittenConfiguration {
  private static final Logger log = LoggerFactory.getLogger(ConfigurationFile.class);
  private static final long CHECK_SECONDS = 2;

  private final Path file;
  private final ObjectMapper json = new ObjectMapper();
  private String text = "";

  ConfigurationFile(Path file) {
    this.file = file;
  }

  /** Reads it now, and looks at it from time to time. */
  void start(ScheduledExecutorService executor) {
    check(true);
    executor.scheduleWithFixedDelay(
        () -> check(false), CHECK_SECONDS, CHECK_SECONDS, TimeUnit.SECONDS);
  }

  private void check(boolean first) {
    try {
      String now = text();
      if (now.equals(text)) {
        return;
      }
      text = now;
      OperatorDocument document = parse(now);
      if (first) {
        begin(document);
      } else {
        write(document);
        log.info("{} is read", file);
      }
    } catch (SluiceException e) {
      log.error(
          "{} is not read: {}: '{}': {}. {}",
          file,
          e.field().orElse(""),
          e.value(),
          e.getMessage(),
          e.remedy());
    } catch (IOException | RuntimeException e) {
      log.error("{} is not read: {}", file, e.toString());
    }
  }

  private String text() throws IOException {
    try {
      return Files.readString(file);
    } catch (NoSuchFileException e) {
      return "";
    }
  }

  private OperatorDocument parse(String now) throws IOException, SluiceException {
    if (now.isBlank()) {
      return OperatorDocument.EMPTY;
    }
    if (json.readTree(now) instanceof ObjectNode tree) {
      return OperatorDocument.read(tree);
    }
    throw new IOException("it is no JSON object");
  }
}
