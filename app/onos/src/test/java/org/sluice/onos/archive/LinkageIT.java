// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.archive;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.AccessTarget.FieldAccessTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.core.domain.JavaFieldAccess;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What our classes use of ONOS is there, in 2.5.6 and in 2.7.0: the same bytecode fits both. */
class LinkageIT {
  private static final String[] USERS = {"org.sluice.onos", "org.sluice.cli", "org.sluice.overlay"};

  private static JavaClasses onos(String version) throws IOException {
    List<JarFile> jars = new ArrayList<>();
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(Archive.onosDirectory(version), "{onos,onlab}-*.jar")) {
      for (Path file : files) {
        jars.add(new JarFile(file.toFile()));
      }
    }
    JavaClasses classes = new ClassFileImporter().importJars(jars);
    for (JarFile jar : jars) {
      jar.close();
    }
    return classes;
  }

  private static boolean isOnos(JavaClass type) {
    return type.getName().startsWith("org.onosproject.") || type.getName().startsWith("org.onlab.");
  }

  @ParameterizedTest
  @ValueSource(strings = {"2.5.6", "2.7.0"})
  void everyReferencedClassAndMethodExists(String version) throws Exception {
    JavaClasses theirs = onos(version);
    JavaClasses ours =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(USERS);
    Set<String> missing = new TreeSet<>();
    Set<String> used = new TreeSet<>();
    for (JavaClass type : ours) {
      for (JavaCodeUnitAccess<?> access : type.getCodeUnitAccessesFromSelf()) {
        if (isOnos(access.getTargetOwner())) {
          used.add(access.getTarget().getFullName());
          if (!hasCodeUnit(theirs, access.getTarget())) {
            missing.add(access.getTarget().getFullName() + " used by " + type.getName());
          }
        }
      }
      for (JavaFieldAccess access : type.getFieldAccessesFromSelf()) {
        if (isOnos(access.getTargetOwner()) && !hasField(theirs, access.getTarget())) {
          missing.add(access.getTarget().getFullName() + " used by " + type.getName());
        }
      }
      addUnimplemented(theirs, type, missing);
    }

    assertThat(missing).isEmpty();
    assertThat(used).hasSizeGreaterThan(100);
  }

  private static boolean hasCodeUnit(JavaClasses theirs, CodeUnitAccessTarget target) {
    String owner = target.getOwner().getName();
    if (!theirs.contain(owner)) {
      return false;
    }
    JavaClass type = theirs.get(owner);
    Collection<? extends JavaCodeUnit> candidates =
        target.getName().equals("<init>") ? type.getConstructors() : type.getAllMethods();
    return candidates.stream()
        .anyMatch(
            unit ->
                unit.getName().equals(target.getName())
                    && names(unit.getRawParameterTypes())
                        .equals(names(target.getRawParameterTypes()))
                    && unit.getRawReturnType()
                        .getName()
                        .equals(target.getRawReturnType().getName()));
  }

  private static boolean hasField(JavaClasses theirs, FieldAccessTarget target) {
    String owner = target.getOwner().getName();
    return theirs.contain(owner)
        && theirs.get(owner).getAllFields().stream()
            .anyMatch(field -> field.getName().equals(target.getName()));
  }

  private static List<String> names(List<JavaClass> types) {
    return types.stream().map(JavaClass::getName).collect(Collectors.toList());
  }

  /** An interface of ONOS that grew a method would break classes of ours that implement it. */
  private static void addUnimplemented(JavaClasses theirs, JavaClass type, Set<String> missing) {
    if (type.isInterface() || type.getModifiers().contains(JavaModifier.ABSTRACT)) {
      return;
    }
    for (JavaClass above : type.getAllRawInterfaces()) {
      if (isOnos(above) && theirs.contain(above.getName())) {
        for (JavaMethod method : theirs.get(above.getName()).getAllMethods()) {
          if (method.getModifiers().contains(JavaModifier.ABSTRACT)
              && !implementsIt(type, method)) {
            missing.add(type.getName() + " does not implement " + method.getFullName());
          }
        }
      }
    }
  }

  private static boolean implementsIt(JavaClass type, JavaMethod method) {
    return type.getAllMethods().stream()
        .anyMatch(
            own ->
                own.getName().equals(method.getName())
                    && own.getRawParameterTypes().size() == method.getRawParameterTypes().size()
                    && !own.getModifiers().contains(JavaModifier.ABSTRACT));
  }
}
