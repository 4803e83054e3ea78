// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.sluice.api.cluster.ClusterService;

/** Lists the nodes of the controllers' cluster. */
@Service
@Needs(Permission.SEE_ALL)
@Command(
    scope = ShellPlatform.SCOPE,
    name = "sluice-cluster",
    description =
        "Lists the nodes of the controllers' cluster as this node sees them: who runs, who leads,"
            + " who is the master of which switches")
public final class ClusterCommand extends ListCommand {

  @Override
  void list() throws JsonProcessingException {
    show(Listings.NODES, service(ClusterService.class).status().nodes());
  }
}
