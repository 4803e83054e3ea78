// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.datapath;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.hello;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.Finding;
import org.sluice.core.spi.Symptom;
import org.sluice.core.testing.MemoryNetwork;
import org.sluice.core.testing.MemoryNode;

/** Examinations of a whole node. */
class DoctorTest {
  private static final String S1 = datapath("s1");

  private final MemoryNetwork network = new MemoryNetwork().connect("s1", 1);
  private final MemoryNode node = new MemoryNode(network, "n1");

  @BeforeEach
  void start() {
    network.setMaster("s1", "n1");
    network.seen("02:00:00:00:01:01", "s1/1", "10.0.0.1");
    node.counters.connected.add(S1);
    node.start();
    node.link.connect(hello("h1", endpoint("h1/vm0", "02:00:00:00:01:01", "10.0.0.1")));
    network.time.advanceMillis(2_000);
  }

  private List<String> found() {
    return node.controller().doctor().examine().stream()
        .map(Finding::what)
        .collect(Collectors.toList());
  }

  @Test
  void healthyInstallationHasNoFinding() {
    assertThat(found()).isEmpty();
  }

  @Test
  void lastingSymptomBecomesAFinding() {
    node.diagnosis.symptoms.add(Symptom.of(Symptom.Kind.NO_METERS, S1));
    network.time.advanceNanos(SymptomDebounce.LASTING_NANOS - TimeUnit.SECONDS.toNanos(1));
    assertThat(found()).isEmpty();
    network.time.advanceMillis(6_000);
    assertThat(found()).singleElement().asString().contains("takes no meter");

    node.diagnosis.symptoms.clear();
    network.time.advanceMillis(5_000);
    assertThat(found()).isEmpty();
  }

  @Test
  void lastingLackOfAFastConnectionBecomesAFinding() {
    node.counters.connected.clear();
    network.time.advanceMillis(30_000);
    assertThat(found()).singleElement().asString().contains("second controller");
  }

  @Test
  void capacityOfAPortThatNobodyHasBecomesAFinding() {
    network.setCapacity("s1/7", 50_000_000);
    network.time.advanceMillis(30_000);
    assertThat(found()).singleElement().asString().contains(S1 + "/7", "no switch has this port");

    network.clearCapacity("s1/7");
    network.time.advanceMillis(5_000);
    assertThat(found()).isEmpty();
  }

  @Test
  void disconnectedHostIsReportedWithItsDuration() {
    node.link.disconnect(hello("h1").host());
    network.time.advanceMillis(TimeUnit.MINUTES.toMillis(10));
    assertThat(found()).singleElement().asString().contains("10 minutes", "1 endpoint");
  }

  @Test
  void switchWithoutMasterIsReportedAtOnce() {
    network.setMaster("s1", null);
    assertThat(found()).contains("No controller node is its master");
  }
}
