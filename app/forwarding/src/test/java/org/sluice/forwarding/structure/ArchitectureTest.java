// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.structure;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Forwarding knows no controller platform, and is testable in virtual time. */
class ArchitectureTest {
  private static JavaClasses forwarding;

  @BeforeAll
  static void read() {
    forwarding =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("org.sluice.forwarding");
  }

  @Test
  void dependsOnTheCoreAndTheApiAlone() {
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "org.sluice.forwarding..",
            "org.sluice.core..",
            "org.sluice.api..",
            "org.slf4j..",
            "java.lang..",
            "java.nio..",
            "java.util..",
            "javax.annotation.processing..",
            "com.google.auto.value..")
        .check(forwarding);
  }

  @Test
  void packagesAreFreeOfCycles() {
    SlicesRuleDefinition.slices()
        .matching("org.sluice.forwarding.(*)..")
        .should()
        .beFreeOfCycles()
        .check(forwarding);
    noClasses()
        .that()
        .resideInAPackage("org.sluice.forwarding.*..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.sluice.forwarding")
        .check(forwarding);
  }

  /** The surroundings are described in values, and decide nothing. */
  @Test
  void spiDependsOnTheApiAndTheCoresSpiAlone() {
    noClasses()
        .that()
        .resideInAPackage("org.sluice.forwarding.spi..")
        .should()
        .dependOnClassesThat(
            resideInAnyPackage("org.sluice.core..", "org.sluice.forwarding..")
                .and(
                    not(
                        resideInAnyPackage(
                            "org.sluice.core.spi..", "org.sluice.forwarding.spi.."))))
        .check(forwarding);
  }

  /** Clocks and threads are injected. */
  @Test
  void usesNoClockAndNoThreadOfItsOwn() {
    noClasses()
        .should()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callMethod(Thread.class, "sleep", long.class)
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.util.concurrent.Executors")
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName("org.sluice.core.runtime.SystemExecution")
        .check(forwarding);
  }
}
