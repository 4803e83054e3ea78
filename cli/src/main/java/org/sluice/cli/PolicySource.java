// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Collectors;
import org.sluice.api.SluiceException;
import org.sluice.api.policy.PolicyPresets;
import org.sluice.api.policy.PolicySet;
import org.sluice.json.PolicyJson;
import org.sluice.json.RequestBody;

/** Policy sets as they are named on the command line. */
final class PolicySource {
  private PolicySource() {}

  /**
   * The preset of that name, else what the file has.
   *
   * @throws SluiceException INVALID if it is neither, or the file's set is none
   */
  static PolicySet read(String typed) throws SluiceException {
    Optional<PolicySet> preset = PolicyPresets.find(typed);
    return preset.isPresent() ? preset.get() : fromFile(typed);
  }

  private static PolicySet fromFile(String file) throws SluiceException {
    try (InputStream stream = Files.newInputStream(Path.of(file))) {
      return PolicyJson.read(RequestBody.readObject(stream), "");
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
