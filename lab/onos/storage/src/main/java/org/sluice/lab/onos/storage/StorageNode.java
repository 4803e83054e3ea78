// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.storage;

import io.atomix.cluster.Node;
import io.atomix.cluster.discovery.BootstrapDiscoveryProvider;
import io.atomix.core.Atomix;
import io.atomix.protocols.raft.partition.RaftPartitionGroup;
import io.atomix.utils.net.Address;
import java.io.File;

/**
 * The Atomix that ONOS's nodes store in. ONOS of several nodes has to have one outside, for which
 * Maven Central holds no program.
 */
public final class StorageNode {
  private static final int PARTITIONS = 3;

  private StorageNode() {}

  /** Arguments: the cluster's name, address, port, and a directory. Says when it is ready. */
  public static void main(String[] arguments) {
    String address = arguments[1];
    Address at = Address.from(address, Integer.parseInt(arguments[2]));
    File directory = new File(arguments[3]);
    Node self = Node.builder().withId(address).withAddress(at).build();
    Atomix.builder()
        .withClusterId(arguments[0])
        .withMemberId(address)
        .withAddress(at)
        .withMembershipProvider(BootstrapDiscoveryProvider.builder().withNodes(self).build())
        .withManagementGroup(group("system", 1, address, directory))
        .withPartitionGroups(group("raft", PARTITIONS, address, directory))
        .build()
        .start()
        .join();
    System.out.println("ready");
  }

  private static RaftPartitionGroup group(
      String name, int partitions, String member, File directory) {
    return RaftPartitionGroup.builder(name)
        .withNumPartitions(partitions)
        .withMembers(member)
        .withDataDirectory(new File(directory, name))
        .build();
  }
}
