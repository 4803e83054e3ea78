// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.doctor;

import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.sluice.api.Finding.Severity.ERROR;
import static org.sluice.api.Finding.Severity.WARNING;

import java.util.ArrayList;
import java.util.List;
import org.sluice.api.Finding;
import org.sluice.api.cluster.ClusterStatus;
import org.sluice.api.cluster.NodeStatus;
import org.sluice.api.cluster.NodeStatus.State;

/** The controllers' cluster: its nodes, its store and its clocks. */
final class ClusterCheck implements Check {
  private static final String STORE = "cluster's store";

  @Override
  public List<Finding> examine(Condition condition) {
    List<Finding> found = new ArrayList<>();
    ClusterStatus cluster = condition.cluster();
    if (cluster.isCutOff()) {
      found.add(
          Finding.of(
              ERROR,
              STORE,
              "The cluster's store does not answer this node. What it read last stays in effect,"
                  + " and tenants, flows and policies cannot be changed here: "
                  + cluster.storeFault(),
              "Have most nodes of the cluster run, and this one reach them"));
    }
    boolean isClockKnown = false;
    for (NodeStatus node : cluster.nodes()) {
      String remedy = condition.platform().nodeRemedy(node.name());
      if (node.state() == State.SILENT) {
        found.add(
            Finding.of(
                ERROR,
                "node " + node.name(),
                "Sluice has not reported there for " + node.silentSeconds() + " s",
                remedy));
      }
      if (!node.webFault().isEmpty()) {
        found.add(Finding.of(ERROR, "node " + node.name(), node.webFault(), remedy));
      }
      long off = MILLISECONDS.toSeconds(node.clockOffMillis());
      if (off != 0) {
        isClockKnown = true;
        found.add(
            Finding.of(
                ERROR,
                "node " + node.name(),
                "Its clock is "
                    + direction(off)
                    + " those of most nodes: it does not lead, and its journal is as much off",
                "Set the clocks of all nodes by NTP"));
      }
    }
    long ahead = MICROSECONDS.toSeconds(condition.clockAheadMicros());
    if (ahead != 0 && !isClockKnown) {
      found.add(
          Finding.of(
              WARNING,
              "clock",
              "This node's clock is "
                  + direction(ahead)
                  + " that of the cluster. Deadlines go by the cluster's, the journal by this one",
              "Set the clocks of all nodes by NTP"));
    }
    return found;
  }

  private static String direction(long seconds) {
    return Math.abs(seconds) + " s " + (seconds > 0 ? "ahead of" : "behind");
  }
}
