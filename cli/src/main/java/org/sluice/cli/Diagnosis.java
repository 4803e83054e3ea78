// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.sluice.api.Finding;

/** Findings as text: sentences do not fit into a table. */
final class Diagnosis {
  private static final String NOTHING = "nothing to report";

  private Diagnosis() {}

  static String text(List<Finding> findings, Labels labels) {
    return findings.isEmpty()
        ? NOTHING
        : findings.stream().map(finding -> text(finding, labels)).collect(Collectors.joining("\n"));
  }

  /** Remedies are commands, which take ids. */
  private static String text(Finding finding, Labels labels) {
    return String.format(
        "%-8s %s: %s%n         -> %s",
        finding.severity().name().toLowerCase(Locale.ROOT),
        labels.inText(finding.about()),
        labels.inText(finding.what()),
        finding.remedy());
  }
}
