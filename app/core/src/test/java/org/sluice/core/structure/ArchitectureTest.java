// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.structure;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Who may depend on whom in the core, and what keeps it testable in virtual time. */
class ArchitectureTest {
  private static JavaClasses core;

  @BeforeAll
  static void read() {
    core =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("org.sluice.core");
  }

  @Test
  void noPlatformAndNoEdgeIsUsed() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.onosproject..",
            "org.onlab..",
            "org.opendaylight..",
            "org.osgi..",
            "io.netty..",
            "io.grpc..",
            "com.google.protobuf..",
            "javax.ws.rs..",
            "org.sluice.openflow..",
            "org.sluice.rest..",
            "org.sluice.forwarding..",
            "org.sluice.onos..",
            "org.sluice.sim..",
            "org.sluice.cli..",
            "org.sluice.overlay..",
            "org.sluice.agentlink.proto..")
        .check(core);
  }

  @Test
  void packagesAreFreeOfCycles() {
    SlicesRuleDefinition.slices()
        .matching("org.sluice.core.(*)..")
        .should()
        .beFreeOfCycles()
        .check(core);
    noClasses()
        .that()
        .resideInAPackage("org.sluice.core.*..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.sluice.core")
        .check(core);
  }

  /** The surroundings are described in values of the API, and decide nothing. */
  @Test
  void spiDependsOnTheApiAlone() {
    noClasses()
        .that()
        .resideInAPackage("org.sluice.core.spi..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.sluice.core.deadline..",
            "org.sluice.core.doctor..",
            "org.sluice.core.loop..",
            "org.sluice.core.registry..",
            "org.sluice.core.setting..",
            "org.sluice.core.tenant..",
            "org.sluice.engine..",
            "org.sluice.agentlink..",
            "org.sluice.sflow..",
            "org.sluice.json..")
        .check(core);
  }

  /** Who has real clocks and a real cluster needs none of what stands in for them. */
  @Test
  void nothingElseUsesVirtualSurroundings() {
    noClasses()
        .that()
        .resideOutsideOfPackage("org.sluice.core.virtual..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.sluice.core.virtual..")
        .check(core);
  }

  /** Clocks and threads are injected: only one class may make them. */
  @Test
  void onlySystemExecutionUsesClocksAndThreads() {
    noClasses()
        .that()
        .doNotHaveFullyQualifiedName("org.sluice.core.runtime.SystemExecution")
        .and()
        .haveNameNotMatching("org\\.sluice\\.core\\.runtime\\.SystemExecution\\$.*")
        .should()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callMethod(Thread.class, "sleep", long.class)
        .orShould()
        .callMethod(java.time.Instant.class, "now")
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.util.concurrent.Executors")
        .check(core);
  }
}
