// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.util.List;
import java.util.stream.Collectors;
import org.sluice.api.cluster.ClusterStatus;
import org.sluice.api.cluster.NodeStatus;

/** The fields of the controllers' cluster in JSON. */
@JsonPropertyOrder({"leader", "storeFault", "nodes"})
public final class ClusterDto {
  @JsonProperty final String leader;
  @JsonProperty final String storeFault;
  @JsonProperty final List<Node> nodes;

  public ClusterDto(ClusterStatus status) {
    leader = status.leader().orElse(null);
    storeFault = emptyToNull(status.storeFault());
    nodes = status.nodes().stream().map(Node::new).collect(Collectors.toList());
  }

  private static String emptyToNull(String text) {
    return text.isEmpty() ? null : text;
  }

  /** One of its nodes. */
  @JsonPropertyOrder({
    "name",
    "local",
    "state",
    "silentSeconds",
    "version",
    "switches",
    "clockOffMillis",
    "webFault"
  })
  static final class Node {
    @JsonProperty final String name;
    @JsonProperty final boolean local;
    @JsonProperty final NodeStatus.State state;
    @JsonProperty final long silentSeconds;
    @JsonProperty final String version;
    @JsonProperty final List<String> switches;
    @JsonProperty final long clockOffMillis;
    @JsonProperty final String webFault;

    Node(NodeStatus node) {
      name = node.name();
      local = node.local();
      state = node.state();
      silentSeconds = node.silentSeconds();
      version = emptyToNull(node.version());
      switches = node.switches();
      clockOffMillis = node.clockOffMillis();
      webFault = emptyToNull(node.webFault());
    }
  }
}
