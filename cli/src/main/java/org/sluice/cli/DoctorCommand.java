// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.List;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.sluice.api.DoctorService;
import org.sluice.api.Finding;
import org.sluice.api.PortService;
import org.sluice.api.SluiceException;
import org.sluice.api.topology.TopologyService;

/** Lists findings about the installation. */
@Service
@Needs(Permission.SEE_ALL)
@Command(
    scope = ShellPlatform.SCOPE,
    name = "sluice-doctor",
    description =
        "Lists what is wrong with the installation, the most severe first, each with a remedy")
public final class DoctorCommand extends ListCommand {

  @Option(name = "--exit-code", description = "Fails if there are errors or warnings, for scripts")
  private boolean exitsWithFindings;

  @Override
  void list() throws SluiceException, JsonProcessingException {
    List<Finding> findings = service(DoctorService.class).examine();
    if (outputJson()) {
      show(Listings.FINDINGS, findings);
    } else {
      Labels labels =
          new Labels(service(PortService.class)::label, service(TopologyService.class).topology());
      print("%s", Diagnosis.text(findings, labels));
    }
    if (exitsWithFindings
        && findings.stream().anyMatch(each -> each.severity() != Finding.Severity.NOTE)) {
      throw new FoundException();
    }
  }
}
