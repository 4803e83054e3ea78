// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone;

import java.util.List;
import java.util.stream.Collectors;
import org.sluice.api.DoctorService;
import org.sluice.api.Finding;

/** The doctor's findings with {@code sluicectl} in their remedies: there is no shell here. */
final class SluicectlDoctor implements DoctorService {
  private static final String[][] COMMANDS = {
    {"sluice-tenant-set ", "sluicectl set tenant "},
    {"sluice-host-retire ", "sluicectl delete host "},
    {"sluice-doctor in the shell of node", "sluicectl doctor with the server"},
    {"sluice-doctor", "sluicectl doctor"},
    {"sluice-policy-withdraw", "sluicectl delete policies"},
  };

  private final DoctorService doctor;

  SluicectlDoctor(DoctorService doctor) {
    this.doctor = doctor;
  }

  @Override
  public List<Finding> examine() {
    return doctor.examine().stream().map(SluicectlDoctor::reworded).collect(Collectors.toList());
  }

  private static Finding reworded(Finding finding) {
    String remedy = finding.remedy();
    for (String[] command : COMMANDS) {
      remedy = remedy.replace(command[0], command[1]);
    }
    return Finding.of(finding.severity(), finding.about(), finding.what(), remedy);
  }
}
