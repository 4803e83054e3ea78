// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.api.cluster.ClusterService;
import org.sluice.api.cluster.ClusterStatus;
import org.sluice.api.cluster.NodeStatus;

class ClusterCommandTest {
  private String fault = "";

  private final ServiceDirectory services =
      new ServiceDirectory() {
        @Override
        public <T> T get(Class<T> type) {
          if (type.equals(ClusterService.class)) {
            return type.cast(new Cluster());
          }
          throw new ServiceNotFoundException(type.getName());
        }
      };

  private final class Cluster implements ClusterService {
    @Override
    public ClusterStatus status() {
      return ClusterStatus.of(
          List.of(
              NodeStatus.builder("c1")
                  .local(true)
                  .state(NodeStatus.State.RUNNING)
                  .leads(true)
                  .version("1.2.3")
                  .switches(List.of("of:0000000000000001"))
                  .build(),
              NodeStatus.builder("c2").state(NodeStatus.State.SILENT).silentSeconds(40).build()),
          fault);
    }

    @Override
    public String storeFault() {
      return fault;
    }
  }

  @Test
  void nodesAreListed() throws Exception {
    try (Shell shell = new Shell(services, ClusterCommand.class)) {
      shell.type("sluice-cluster");
      assertThat(shell.printed())
          .contains("c1 (this)", "leads", "of:0000000000000001", "silent", "40")
          .doesNotContain("does not answer");
    }
  }

  @Test
  void nodeThatIsCutOffSaysSoFirst() throws Exception {
    fault = "no majority";
    try (Shell shell = new Shell(services, ClusterCommand.class)) {
      shell.type("sluice-cluster");
      assertThat(shell.printed())
          .startsWith("The cluster's store does not answer this node")
          .contains("(no majority)");
    }
  }
}
