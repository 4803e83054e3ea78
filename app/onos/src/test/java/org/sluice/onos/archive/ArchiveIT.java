// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.archive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.osgi.framework.Version;
import org.osgi.framework.VersionRange;

/** The .oar: what is in it, and whether ONOS 2.5.6 and 2.7.0 can take it. */
class ArchiveIT {
  /** Class files of Java 11, which stock ONOS runs on. */
  private static final int JAVA_11 = 55;

  private static final String VERSION = System.getProperty("version");

  private static final Pattern BUNDLE =
      Pattern.compile("<bundle[^>]*>mvn:([^/]+)/([^/]+)/([^/<]+)</bundle>");

  @Test
  void describesItselfAsOnosExpects() throws Exception {
    String app = new String(Archive.oar().entries().get("app.xml"), UTF_8);

    assertThat(app)
        .contains("name=\"org.sluice\"", "version=\"" + VERSION + "\"", "features=\"sluice\"")
        .contains(
            "apps=\"org.onosproject.openflow-base,org.onosproject.hostprovider,"
                + "org.onosproject.lldpprovider\"")
        .doesNotContain("${");
  }

  @Test
  void everyBundleOfTheFeatureIsInsideAndNothingElse() throws Exception {
    Archive oar = Archive.oar();
    String features =
        new String(
            oar.entries()
                .get(
                    String.format(
                        "m2/org/sluice/sluice-onos/%1$s/sluice-onos-%1$s-features.xml", VERSION)),
            UTF_8);
    Set<String> expected =
        BUNDLE
            .matcher(features)
            .results()
            .map(
                match ->
                    String.format(
                        "m2/%s/%s/%s/%2$s-%3$s.jar",
                        match.group(1).replace('.', '/'), match.group(2), match.group(3)))
            .collect(Collectors.toSet());

    assertThat(expected).hasSize(13);
    assertThat(oar.entries().keySet().stream().filter(name -> name.endsWith(".jar")))
        .containsExactlyInAnyOrderElementsOf(expected);
    for (Archive bundle : oar.jars()) {
      assertThat(bundle.header("Bundle-SymbolicName")).as(bundle.name()).startsWith("org.sluice.");
    }
  }

  @Test
  void archiveHasNoTestOrBuildClasses() throws Exception {
    List<String> names = new ArrayList<>();
    listEntries(Archive.oar(), names);

    assertThat(names)
        .hasSizeGreaterThan(1000)
        .noneMatch(name -> name.contains("/vectors/") || name.contains("FuzzTestInputs"))
        .as("paths of the machine that built it")
        .noneMatch(name -> name.contains("/target/"));
  }

  private static void listEntries(Archive archive, List<String> names) throws Exception {
    archive.entries().keySet().forEach(name -> names.add(archive.name() + "!" + name));
    for (Archive jar : archive.jars()) {
      listEntries(jar, names);
    }
  }

  @Test
  void everyClassFitsJava11() throws Exception {
    List<String> tooNew = new ArrayList<>();
    int checked = checkClasses(Archive.oar(), tooNew);

    assertThat(tooNew).isEmpty();
    assertThat(checked).isGreaterThan(200);
  }

  private static int checkClasses(Archive archive, List<String> tooNew) throws Exception {
    int checked = 0;
    for (Map.Entry<String, byte[]> entry : archive.entries().entrySet()) {
      // Newer classes below META-INF/versions are for newer Javas alone.
      if (entry.getKey().endsWith(".class") && !entry.getKey().startsWith("META-INF/versions/")) {
        checked++;
        int version = (entry.getValue()[6] & 0xff) << 8 | entry.getValue()[7] & 0xff;
        if (version > JAVA_11) {
          tooNew.add(archive.name() + "!" + entry.getKey() + ": " + version);
        }
      }
    }
    for (Archive jar : archive.jars()) {
      checked += checkClasses(jar, tooNew);
    }
    return checked;
  }

  @ParameterizedTest
  @ValueSource(strings = {"2.5.6", "2.7.0"})
  void everyImportIsResolved(String onos) throws Exception {
    Map<String, List<Version>> exports = new HashMap<>();
    List<Archive> exporters = new ArrayList<>(Archive.onos(onos));
    List<Archive> bundles = Archive.oar().jars();
    exporters.addAll(bundles);
    for (Archive exporter : exporters) {
      for (PackageClause clause : PackageClause.parse(exporter.header("Export-Package"))) {
        exports
            .computeIfAbsent(clause.name, n -> new ArrayList<>())
            .add(Version.parseVersion(clause.version));
      }
    }
    List<String> unmet = new ArrayList<>();
    int checked = 0;
    for (Archive bundle : bundles) {
      for (PackageClause clause : PackageClause.parse(bundle.header("Import-Package"))) {
        checked++;
        VersionRange range = new VersionRange(clause.version);
        boolean met =
            exports.getOrDefault(clause.name, List.of()).stream().anyMatch(range::includes);
        if (!met && !clause.optional) {
          unmet.add(
              bundle.header("Bundle-SymbolicName") + ": " + clause.name + " " + clause.version);
        }
      }
    }

    assertThat(unmet).isEmpty();
    assertThat(checked).isGreaterThan(50);
  }

  /** What is not imported is found missing only when it is used. */
  @Test
  void everyUsedPackageIsImported(@TempDir Path directory) throws Exception {
    Set<String> missing = new TreeSet<>();
    int used = 0;
    Archive oar = Archive.oar();
    for (Archive bundle : oar.jars()) {
      Path file = directory.resolve(bundle.header("Bundle-SymbolicName") + ".jar");
      Files.write(file, oar.entries().get(bundle.name().substring(bundle.name().indexOf('!') + 1)));
      Set<String> there = new HashSet<>();
      PackageClause.parse(bundle.header("Import-Package"))
          .forEach(clause -> there.add(clause.name));
      JavaClasses classes;
      try (JarFile jar = new JarFile(file.toFile())) {
        classes = new ClassFileImporter().importJar(jar);
      }
      classes.forEach(type -> there.add(type.getPackageName()));
      for (JavaClass type : classes) {
        for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
          String name = dependency.getTargetClass().getBaseComponentType().getPackageName();
          if (name.startsWith("org.sluice.")) {
            used++;
            if (!there.contains(name)) {
              missing.add(type.getName() + " uses " + name);
            }
          }
        }
      }
    }

    assertThat(missing).isEmpty();
    assertThat(used).isGreaterThan(1000);
  }

  /** Felix 5.6 refuses such imports, and ONOS says so only in its log. */
  @Test
  void noBundleImportsThePlatform() throws Exception {
    for (Archive bundle : Archive.oar().jars()) {
      assertThat(PackageClause.parse(bundle.header("Import-Package")))
          .as(bundle.name())
          .noneMatch(clause -> clause.name.startsWith("java."));
    }
  }

  /** A package of ONOS's that we exported would hide ONOS's own from others. */
  @Test
  void noBundleExportsForeignPackages() throws Exception {
    for (Archive bundle : Archive.oar().jars()) {
      assertThat(PackageClause.parse(bundle.header("Export-Package")))
          .as(bundle.name())
          .allMatch(clause -> clause.name.startsWith("org.sluice."));
    }
  }

  @Test
  void everyComponentHasItsDescription() throws Exception {
    Archive binding =
        Archive.oar().jars().stream()
            .filter(jar -> jar.name().contains("sluice-onos"))
            .findFirst()
            .orElseThrow();
    List<String> descriptions = List.of(binding.header("Service-Component").split(","));

    assertThat(descriptions).hasSize(7);
    assertThat(binding.entries().keySet()).containsAll(descriptions);
    Matcher name = Pattern.compile("cfgdef").matcher(String.join(" ", binding.entries().keySet()));
    assertThat(name.find()).as("property definitions").isTrue();
  }
}
