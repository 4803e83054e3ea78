// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.structure;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The arrows of the design: which may depend on which. */
class ArchitectureTest {
  private static final String[] ONOS = {"org.onosproject..", "org.onlab.."};

  private static JavaClasses sluice;

  @BeforeAll
  static void read() {
    sluice =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("org.sluice");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "api",
        "engine",
        "agentlink",
        "polling",
        "openflow",
        "sflow",
        "json",
        "rest",
        "core",
        "forwarding",
        "cli",
        "overlay",
        "onos"
      })
  void everyModuleIsChecked(String module) {
    assertThat(sluice.stream().anyMatch(c -> c.getPackageName().startsWith("org.sluice." + module)))
        .as("classes of %s on the path", module)
        .isTrue();
  }

  @Test
  void apiDependsOnNoOtherModule() {
    noClasses()
        .that()
        .resideInAPackage("org.sluice.api..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.sluice.engine..",
            "org.sluice.agentlink..",
            "org.sluice.openflow..",
            "org.sluice.sflow..",
            "org.sluice.json..",
            "org.sluice.rest..",
            "org.sluice.core..",
            "org.sluice.forwarding..",
            "org.sluice.cli..",
            "org.sluice.overlay..",
            "org.sluice.onos..",
            "org.onosproject..",
            "org.onlab..",
            "io.grpc..",
            "com.google.protobuf..",
            "javax.ws.rs..")
        .check(sluice);
  }

  /** Plain Java: time is an argument, and there is no thread, socket or logger. */
  @Test
  void engineDependsOnTheApiAndJavaAlone() {
    classes()
        .that()
        .resideInAPackage("org.sluice.engine..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "org.sluice.engine..",
            "org.sluice.api..",
            "java.lang..",
            "java.math..",
            "java.time..",
            "java.util..")
        .check(sluice);
    noClasses()
        .that()
        .resideInAPackage("org.sluice.engine..")
        .should()
        .dependOnClassesThat()
        .haveNameMatching("java\\.lang\\.Thread|java\\.util\\.Timer.*|java\\.util\\.logging\\..*")
        .orShould()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .check(sluice);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"agentlink", "polling", "openflow", "sflow", "json", "rest", "cli", "overlay"})
  void edgeModulesDependOnTheApiAndNotOnEachOther(String module) {
    for (String other :
        new String[] {
          "engine",
          "agentlink",
          "polling",
          "json",
          "rest",
          "core",
          "forwarding",
          "cli",
          "overlay",
          "onos",
          "openflow",
          "sflow"
        }) {
      boolean writesJson = module.equals("rest") || module.equals("cli");
      boolean isPart =
          writesJson && other.equals("json")
              || module.equals("openflow") && other.equals("polling");
      if (!other.equals(module) && !isPart) {
        noClasses()
            .that()
            .resideInAPackage("org.sluice." + module + "..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.sluice." + other + "..")
            .check(sluice);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "api",
        "engine",
        "agentlink",
        "openflow",
        "sflow",
        "json",
        "rest",
        "core",
        "forwarding"
      })
  void onlyBindingCommandsAndOverlayDependOnOnos(String module) {
    noClasses()
        .that()
        .resideInAPackage("org.sluice." + module + "..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(ONOS)
        .check(sluice);
  }

  /** OpenDaylight's commands are the others. */
  @Test
  void onlyCommandsOfOnosDependOnIt() {
    noClasses()
        .that()
        .resideInAPackage("org.sluice.cli..")
        .and()
        .haveNameNotMatching(".*\\.(ShellPlatform|SwitchSetupCommand|BridgeCompleter|Bridges)")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(ONOS)
        .check(sluice);
  }

  @Test
  void protobufClassesStayInTheAgentLink() {
    noClasses()
        .that()
        .resideOutsideOfPackage("org.sluice.agentlink..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.sluice.agentlink.proto..", "io.grpc..", "com.google.protobuf..")
        .check(sluice);
  }

  @Test
  void openFlowMessagesStayInFastCountersAndTheOnosChannel() {
    noClasses()
        .that()
        .resideOutsideOfPackages("org.sluice.openflow..", "org.sluice.onos.openflow..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.projectfloodlight..", "io.netty..")
        .check(sluice);
  }

  @Test
  void noModuleDependsOnTheLab() {
    noClasses()
        .that()
        .resideInAPackage("org.sluice..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.sluice.lab..")
        .check(sluice);
  }

  /**
   * What decides without ONOS belongs into the core or into forwarding: here stays what reaches
   * ONOS, or is wiring.
   */
  @Test
  void everyClassOfTheBindingDependsOnOnosOrOsgi() {
    Set<String> elsewhere = new TreeSet<>();
    for (JavaClass each : sluice) {
      boolean isOurs =
          each.getPackageName().startsWith("org.sluice.onos")
              && !each.getSimpleName().equals("package-info")
              && each.isTopLevelClass();
      if (isOurs && !reachesOnos(each, new HashSet<>())) {
        elsewhere.add(each.getName());
      }
    }
    assertThat(elsewhere)
        .as("run by the build; wiring of the web bundles")
        .containsExactly(
            "org.sluice.onos.config.PropertyDefinitions", "org.sluice.onos.web.StartOrder");
  }

  private static boolean reachesOnos(JavaClass from, Set<JavaClass> seen) {
    if (!seen.add(from)) {
      return false;
    }
    for (Dependency dependency : from.getDirectDependenciesFromSelf()) {
      JavaClass to = dependency.getTargetClass();
      String name = to.getPackageName();
      if (name.startsWith("org.onosproject")
          || name.startsWith("org.onlab")
          || name.startsWith("org.osgi")
          || name.startsWith("org.sluice.onos") && reachesOnos(to, seen)) {
        return true;
      }
    }
    return false;
  }

  @Test
  void packagesOfTheBindingAreFreeOfCycles() {
    SlicesRuleDefinition.slices()
        .matching("org.sluice.onos.(*)..")
        .should()
        .beFreeOfCycles()
        .check(sluice);
  }
}
