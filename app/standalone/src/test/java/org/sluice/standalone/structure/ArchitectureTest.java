// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.structure;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Who may depend on whom in the program. */
class ArchitectureTest {
  private static JavaClasses standalone;

  @BeforeAll
  static void read() {
    standalone =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("org.sluice.standalone");
  }

  @Test
  void noOtherPlatformIsUsed() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.onosproject..",
            "org.onlab..",
            "org.opendaylight..",
            "org.osgi..",
            "org.sluice.onos..",
            "org.sluice.odl..",
            "org.sluice.sim..",
            "org.sluice.cli..",
            "org.sluice.openflow..",
            "org.sluice.agentlink.proto..",
            "org.sluice.rest.stream..")
        .check(standalone);
  }

  /** Nothing decides here: that is the core's. */
  @Test
  void theEngineIsTheCores() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.sluice.engine..")
        .check(standalone);
  }

  @Test
  void theWebServerStaysInItsPackage() {
    noClasses()
        .that()
        .resideOutsideOfPackage("org.sluice.standalone.web..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.eclipse.jetty..", "org.glassfish..", "javax.servlet..", "javax.ws.rs..")
        .check(standalone);
  }

  @Test
  void packagesAreFreeOfCycles() {
    SlicesRuleDefinition.slices()
        .matching("org.sluice.standalone.(*)..")
        .should()
        .beFreeOfCycles()
        .check(standalone);
    noClasses()
        .that()
        .resideInAPackage("org.sluice.standalone.*..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.sluice.standalone")
        .check(standalone);
  }
}
