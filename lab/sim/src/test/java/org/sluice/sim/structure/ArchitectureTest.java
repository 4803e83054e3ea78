// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.structure;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.Architectures;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.engine.law.DaDctcpLaw;
import org.sluice.engine.law.RoundTripTrend;

/** Which packages may depend on which, and what keeps a run the same every time. */
class ArchitectureTest {
  /** From the bottom up: a package may depend on those before it. */
  private static final String[] LAYERS = {
    "event",
    "packet",
    "queue",
    "network",
    "topology",
    "transport",
    "application",
    "shim",
    "platform",
    "agent",
    "deployment",
    "fabric",
    "scenario",
    "report",
    "cli"
  };

  /** The same of the shim. */
  private static final String[] SHIM_LAYERS = {
    "law", "queue", "marks", "port", "feedback", "host", "report", "deadline", "hygenicc", "sluice"
  };

  /** The packages whose classes make up what is simulated. */
  private static final String[] MODEL = {
    "org.sluice.sim.event..",
    "org.sluice.sim.packet..",
    "org.sluice.sim.queue..",
    "org.sluice.sim.network..",
    "org.sluice.sim.topology..",
    "org.sluice.sim.transport..",
    "org.sluice.sim.application..",
    "org.sluice.sim.shim..",
    "org.sluice.sim.platform..",
    "org.sluice.sim.agent..",
    "org.sluice.sim.deployment..",
    "org.sluice.sim.fabric.."
  };

  private static JavaClasses simulator;

  @BeforeAll
  static void read() {
    simulator =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("org.sluice.sim");
  }

  @Test
  void packagesDependOnlyOnWhatLiesBelow() {
    checkLayers("org.sluice.sim.", LAYERS);
  }

  @Test
  void shimPackagesDependOnlyOnWhatLiesBelow() {
    checkLayers("org.sluice.sim.shim.", SHIM_LAYERS);
  }

  private static void checkLayers(String parent, String... layers) {
    LayeredArchitecture architecture =
        Architectures.layeredArchitecture().consideringOnlyDependenciesInLayers();
    for (String layer : layers) {
      architecture = architecture.layer(layer).definedBy(parent + layer + "..");
    }
    for (int i = 0; i < layers.length; i++) {
      architecture =
          i == layers.length - 1
              ? architecture.whereLayer(layers[i]).mayNotBeAccessedByAnyLayer()
              : architecture
                  .whereLayer(layers[i])
                  .mayOnlyBeAccessedByLayers(Arrays.copyOfRange(layers, i + 1, layers.length));
    }
    architecture.check(simulator);
  }

  /** Whole subtrees, then every package by itself, those between included. */
  @ParameterizedTest
  @ValueSource(
      strings = {"org.sluice.sim.(*)..", "org.sluice.sim.shim.(*)..", "org.sluice.sim.(**)"})
  void packagesAreFreeOfCycles(String slices) {
    SlicesRuleDefinition.slices().matching(slices).should().beFreeOfCycles().check(simulator);
  }

  /** What decides is the controller's: only what binds it to a network knows it. */
  @Test
  void onlyWhatBindsTheControllerDependsOnTheCore() {
    noClasses()
        .that()
        .resideInAPackage("org.sluice.sim..")
        .and()
        .resideOutsideOfPackages("org.sluice.sim.platform..", "org.sluice.sim.deployment..")
        .and()
        .doNotHaveFullyQualifiedName("org.sluice.sim.scenario.build.LawBuilder")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.sluice.core..")
        .check(simulator);
  }

  /**
   * Besides deployments, what builds scenarios knows the engine's parameters. Formulas of hosts and
   * queues are for all, as are collections.
   */
  @Test
  void onlyDeploymentsDependOnTheEngine() {
    noClasses()
        .that()
        .resideInAPackage("org.sluice.sim..")
        .and()
        .resideOutsideOfPackages("org.sluice.sim.deployment..", "org.sluice.sim.scenario.build..")
        .should()
        .dependOnClassesThat(
            resideInAPackage("org.sluice.engine..")
                .and(not(resideInAPackage("org.sluice.engine.collections..")))
                .and(not(type(DaDctcpLaw.class).or(type(RoundTripTrend.class)))))
        .check(simulator);
  }

  /** The law's deployment runs the controller as it is: it drives no part of it. */
  @Test
  void lawDeploymentUsesTheControllerAsAWhole() {
    noClasses()
        .that()
        .haveNameMatching(
            "org\\.sluice\\.sim\\.((platform|agent)\\..*|deployment\\.(Sluice|Operator|Flow).*)")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.sluice.core.deadline..",
            "org.sluice.core.loop..",
            "org.sluice.core.micro..",
            "org.sluice.core.opentcp..",
            "org.sluice.core.profile..",
            "org.sluice.core.registry..",
            "org.sluice.core.tenant..")
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName("org.sluice.engine.Engine")
        .check(simulator);
  }

  /** The simulator is one of the controller's platforms, and knows no other. */
  @Test
  void noOtherPlatformIsUsed() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.onosproject..", "org.onlab..", "org.osgi..", "org.sluice.onos..")
        .check(simulator);
  }

  @Test
  void lawsDoNotDependOnTransports() {
    noClasses()
        .that()
        .resideInAPackage("org.sluice.sim.shim..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.sluice.sim.transport..", "org.sluice.sim.application..")
        .check(simulator);
  }

  /** A run depends on its input alone. */
  @Test
  void modelUsesNoClockAndNoRandomness() {
    noClasses()
        .that()
        .resideInAnyPackage(MODEL)
        .should()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callMethod(Math.class, "random")
        .orShould()
        .dependOnClassesThat()
        .areAssignableTo(Random.class)
        .orShould()
        .dependOnClassesThat()
        .areAssignableTo(ThreadLocalRandom.class)
        .check(simulator);
  }

  /** Nor on how the virtual machine was started: a switch in a hot path costs objects, too. */
  @Test
  void modelReadsNoSystemProperty() {
    noClasses()
        .that()
        .resideInAnyPackage(MODEL)
        .should()
        .callMethodWhere(
            target(owner(resideInAPackage("java.lang")))
                .and(
                    target(nameMatching("getenv|getPropert(y|ies)|getBoolean|getInteger|getLong"))))
        .check(simulator);
  }

  /** Runs go side by side: what is static must not change. */
  @Test
  void staticFieldsAreConstant() {
    fields()
        .that()
        .areStatic()
        .and()
        .areDeclaredInClassesThat()
        .resideInAPackage("org.sluice.sim..")
        .should()
        .beFinal()
        .check(simulator);
  }
}
