// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.structure;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The packages of the engine, and which may depend on which. */
class ArchitectureTest {
  private static final String ENGINE = "org.sluice.engine";
  private static final String ROOT = "";

  /** By room: those that it may depend on. */
  private static final Map<String, Set<String>> ARROWS =
      Map.ofEntries(
          Map.entry("collections", Set.of()),
          Map.entry("law", Set.of()),
          Map.entry("path", Set.of()),
          Map.entry("statistics", Set.of()),
          Map.entry("time", Set.of()),
          Map.entry("deadline", Set.of("law")),
          Map.entry("micro", Set.of("collections", "law")),
          Map.entry("opentcp", Set.of("law")),
          Map.entry("state", Set.of("collections", "path", "statistics")),
          Map.entry("marks", Set.of("collections", "state", "statistics", "time")),
          Map.entry("traffic", Set.of("path", "state", "statistics", "time")),
          Map.entry("control", Set.of("collections", "law", "state", "statistics")),
          Map.entry("journal", Set.of("control", "law", "marks", "state", "statistics", "traffic")),
          Map.entry(
              ROOT,
              Set.of(
                  "collections",
                  "control",
                  "journal",
                  "law",
                  "marks",
                  "path",
                  "state",
                  "statistics",
                  "time",
                  "traffic")));

  private static JavaClasses engine;

  @BeforeAll
  static void read() {
    engine =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(ENGINE);
  }

  /** An arrow that is not there is a mistake, one that is not used as well. */
  @Test
  void packagesDependOnEachOtherAsDrawn() {
    Map<String, Set<String>> found = new TreeMap<>();
    for (JavaClass each : engine) {
      Set<String> arrows = found.computeIfAbsent(room(each), room -> new TreeSet<>());
      each.getDirectDependenciesFromSelf().stream()
          .map(dependency -> dependency.getTargetClass().getBaseComponentType())
          .filter(target -> isOfEngine(target) && !room(target).equals(room(each)))
          .forEach(target -> arrows.add(room(target)));
    }
    assertThat(found).isEqualTo(new TreeMap<>(ARROWS));
  }

  @Test
  void packagesAreFreeOfCycles() {
    SlicesRuleDefinition.slices()
        .assignedFrom(
            new SliceAssignment() {
              @Override
              public SliceIdentifier getIdentifierOf(JavaClass each) {
                return isOfEngine(each)
                    ? SliceIdentifier.of(each.getPackageName())
                    : SliceIdentifier.ignore();
              }

              @Override
              public String getDescription() {
                return "packages of the engine";
              }
            })
        .should()
        .beFreeOfCycles()
        .check(engine);
  }

  @Test
  void rootPackageHasOnlyTheEntryPoints() {
    List<String> root =
        engine.stream()
            .filter(each -> room(each).equals(ROOT) && !each.getName().contains("$"))
            .map(JavaClass::getSimpleName)
            .filter(name -> !name.equals("package-info"))
            .sorted()
            .collect(Collectors.toList());
    assertThat(root).containsExactly("Engine", "EngineParameters", "PortSnapshot");
  }

  /** Plain Java: time is an argument, and there is no thread, socket, file or logger. */
  @Test
  void dependsOnJavaAndTheApiAlone() {
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            ENGINE + "..",
            "org.sluice.api..",
            "java.lang",
            "java.lang.invoke",
            "java.math",
            "java.time",
            "java.util",
            "java.util.function",
            "java.util.stream",
            "java.util.concurrent")
        .check(engine);
    noClasses()
        .should()
        .dependOnClassesThat()
        .haveNameMatching(
            "java\\.lang\\.(Thread|ThreadLocal|Runtime|Process).*"
                + "|java\\.util\\.Timer.*"
                + "|java\\.util\\.concurrent\\.(?!TimeUnit).*")
        .check(engine);
  }

  @Test
  void nothingReadsAClock() {
    noClasses()
        .should()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callMethodWhere(
            DescribedPredicate.<JavaMethodCall>describe(
                "a clock of java.time is read",
                call ->
                    call.getName().equals("now")
                        && call.getTargetOwner().getPackageName().startsWith("java.time")))
        .check(engine);
  }

  private static boolean isOfEngine(JavaClass each) {
    return each.getPackageName().equals(ENGINE) || each.getPackageName().startsWith(ENGINE + ".");
  }

  private static String room(JavaClass each) {
    String name = each.getPackageName();
    return name.equals(ENGINE) ? ROOT : name.substring(ENGINE.length() + 1);
  }
}
