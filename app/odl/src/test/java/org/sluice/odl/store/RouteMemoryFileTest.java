// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.api.IpAddress;

class RouteMemoryFileTest {
  private static final IpAddress V4 = IpAddress.parse("10.0.0.1");
  private static final IpAddress V6 = IpAddress.parse("fd00::1");

  @TempDir Path directory;

  private Set<IpAddress> open() {
    return new RouteMemoryFile(directory.resolve("routes"), Runnable::run);
  }

  @Test
  void addressesOutliveTheProcess() {
    Set<IpAddress> routes = open();
    routes.add(V4);
    routes.add(V6);
    routes.remove(V4);

    assertThat(open()).containsExactly(V6);
  }

  @Test
  void aBrokenFileIsLearntAnew() throws Exception {
    Files.writeString(directory.resolve("routes"), "10.0.0.1\nnonsense\n");
    Set<IpAddress> routes = open();
    routes.add(V6);

    assertThat(open()).contains(V6);
  }
}
