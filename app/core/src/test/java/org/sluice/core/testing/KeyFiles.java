// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files for settings that name some, where nobody reads what is in them. */
public final class KeyFiles {
  private KeyFiles() {}

  /** The path of a file that can be read. */
  public static String any() {
    try {
      Path file = Files.createTempFile("sluice-test", ".pem");
      file.toFile().deleteOnExit();
      return file.toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
