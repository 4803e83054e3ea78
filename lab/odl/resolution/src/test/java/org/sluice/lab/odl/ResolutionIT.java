// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.odl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.osgi.resource.Resource;
import org.osgi.service.resolver.ResolutionException;

/** One bundle that does not resolve, and OpenDaylight opens no port for switches. */
class ResolutionIT {
  @ParameterizedTest
  @ValueSource(strings = {"0.17.3", "0.20.1"})
  void everyBundleResolves(String line) throws Exception {
    List<Resource> bundles = bundles(line);
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

  /** Those of the archive that was built for a line. */
  private static List<Resource> bundles(String release) throws IOException {
    String line = release.substring(0, release.lastIndexOf('.'));
    Path archive =
        Path.of(
            System.getProperty("archives"),
            "line-" + line,
            "target",
            "sluice-odl-" + line + "-" + System.getProperty("version") + ".kar");
    List<Resource> bundles = new ArrayList<>();
    try (ZipInputStream files = new ZipInputStream(Files.newInputStream(archive))) {
      for (ZipEntry file = files.getNextEntry(); file != null; file = files.getNextEntry()) {
        if (file.getName().endsWith(".jar")) {
          // Not closed: the archive goes on behind it.
          bundles.add(Line.bundle(new JarInputStream(files).getManifest()));
        }
      }
    }
    return bundles;
  }
}
