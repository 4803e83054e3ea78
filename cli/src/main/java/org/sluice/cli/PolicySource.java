// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Collectors;
import org.sluice.api.SluiceException;
import org.sluice.api.policy.PolicyFormat;
import org.sluice.api.policy.PolicyPresets;
import org.sluice.api.policy.PolicySet;

/** Policy sets as they are named on the command line. */
final class PolicySource {
  /** More than the form takes: it refuses the rest. */
  private static final int MOST_BYTES = 1 << 20;

  private PolicySource() {}

  /**
   * The preset of that name, else what the file has.
   *
   * @throws SluiceException INVALID if it is neither, or the file's set is none
   */
  static PolicySet read(String typed, PolicyFormat format) throws SluiceException {
    Optional<PolicySet> preset = PolicyPresets.find(typed);
    return preset.isPresent() ? preset.get() : format.read(text(typed));
  }

  private static String text(String file) throws SluiceException {
    try (InputStream stream = Files.newInputStream(Path.of(file))) {
      return new String(stream.readNBytes(MOST_BYTES), StandardCharsets.UTF_8);
    } catch (IOException | InvalidPathException e) {
      String presets =
          PolicyPresets.all().stream().map(PolicySet::name).collect(Collectors.joining(", "));
      throw SluiceException.invalid(
          "policies",
          file,
          "This is neither a preset nor a file that the controller can read",
          "Use one of " + presets + ", or the path of a JSON file on the controller's machine");
    }
  }
}
