// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.platform;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.Executor;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.sluice.core.spi.ClusterNodes;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.forwarding.parts.StoreTasks;

/** Nodes of OpenDaylight's cluster, which write themselves down in its store. */
final class OdlNodes implements ClusterNodes, ReplicatedMap.Listener {
  /** A node that nobody has made a member of a cluster is called so. */
  private static final String ALONE = "member-1";

  /** Where OpenDaylight keeps a member's name: its role. Pekko since 0.20, Akka before. */
  private static final List<String> FILES =
      List.of(
          "configuration/initial/pekko.conf",
          "configuration/initial/akka.conf",
          "configuration/factory/pekko.conf",
          "configuration/factory/akka.conf");

  private static final Pattern ROLE = Pattern.compile("roles\\s*=\\s*\\[\\s*\"?([^\"\\],\\s]+)");

  private final String local;
  private final ReplicatedMap shared;
  private final StoreTasks tasks;
  private final Set<String> known = new ConcurrentSkipListSet<>();

  /**
   * This one alone.
   *
   * @param shared the cluster's set of names
   * @param writer runs reads and writes of it, one after the other
   */
  OdlNodes(String local, ReplicatedMap shared, Executor writer) {
    this.local = local;
    this.shared = shared;
    tasks = new StoreTasks(writer, "The nodes do not learn of each other");
    known.add(local);
  }

  void start() {
    tasks.execute(() -> shared.putIfAbsent(local, ""));
    tasks.follow(shared, this);
  }

  void stop() {
    shared.removeListener(this);
  }

  /** Sluice is removed from this node: whether it was the last. Waits for the store. */
  boolean leave() {
    shared.remove(local);
    return shared.entries().isEmpty();
  }

  @Override
  public void changed(
      String name,
      Optional<ReplicatedMap.Versioned> before,
      Optional<ReplicatedMap.Versioned> now) {
    if (now.isPresent()) {
      known.add(name);
    } else {
      known.remove(name);
    }
  }

  @Override
  public String local() {
    return local;
  }

  @Override
  public Collection<String> all() {
    return List.copyOf(known);
  }

  /**
   * A member's name, as its configuration has it.
   *
   * @param home the directory that OpenDaylight runs in
   */
  static String readName(Path home) {
    for (String name : FILES) {
      try {
        Matcher role = ROLE.matcher(Files.readString(home.resolve(name)));
        if (role.find()) {
          return role.group(1);
        }
      } catch (IOException e) {
        // The next one.
      }
    }
    return ALONE;
  }
}
