// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.odl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.osgi.resource.Resource;
import org.osgi.service.resolver.ResolutionException;

/** One bundle that does not resolve, and OpenDaylight opens no port for switches. */
class ResolutionIT {
  @ParameterizedTest
  @ValueSource(strings = {"0.17.3", "0.20.1"})
  void everyBundleResolves(String line) throws Exception {
    List<Resource> bundles = bundles();
    assertThat(bundles).hasSizeGreaterThan(1);

    new Line(line).resolve(bundles);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.17.3", "0.20.1"})
  void aMissingPackageIsNamed(String line) throws Exception {
    Resource broken =
        Line.bundle(
            Line.manifest(
                "Bundle-SymbolicName: org.sluice.broken\n"
                    + "Import-Package: org.slf4j,org.sluice.absent"));

    assertThatThrownBy(() -> new Line(line).resolve(List.of(broken)))
        .isInstanceOf(ResolutionException.class)
        .hasMessageContaining("org.sluice.absent");
  }

  private static List<Resource> bundles() throws IOException {
    List<Resource> bundles = new ArrayList<>();
    try (Stream<Path> files = Files.walk(Path.of(System.getProperty("bundles")))) {
      for (Path file :
          (Iterable<Path>) files.filter(each -> each.toString().endsWith(".jar"))::iterator) {
        try (JarFile jar = new JarFile(file.toFile())) {
          bundles.add(Line.bundle(jar.getManifest()));
        }
      }
    }
    return bundles;
  }
}
