// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.archive;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/** A zip file in memory, with the zip files in it. */
final class Archive {
  private static final String MANIFEST = "META-INF/MANIFEST.MF";

  private final String name;
  private final Map<String, byte[]> entries = new LinkedHashMap<>();

  private Archive(String name, InputStream in) throws IOException {
    this.name = name;
    ZipInputStream zip = new ZipInputStream(in);
    for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
      if (!entry.isDirectory()) {
        entries.put(entry.getName(), zip.readAllBytes());
      }
    }
  }

  /** Sluice's .oar as the build made it. */
  static Archive oar() throws IOException {
    return read(Path.of(System.getProperty("oar")));
  }

  /** The jars that an ONOS of this version offers. */
  static List<Archive> onos(String version) throws IOException {
    List<Archive> jars = new ArrayList<>();
    Path directory = onosDirectory(version);
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.jar")) {
      for (Path file : files) {
        jars.add(read(file));
      }
    }
    return jars;
  }

  static Path onosDirectory(String version) {
    return Path.of(System.getProperty("linkage"), version);
  }

  private static Archive read(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return new Archive(file.getFileName().toString(), in);
    }
  }

  String name() {
    return name;
  }

  Map<String, byte[]> entries() {
    return entries;
  }

  /** The jars in it, not those in those. */
  List<Archive> jars() throws IOException {
    List<Archive> jars = new ArrayList<>();
    for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
      if (entry.getKey().endsWith(".jar")) {
        jars.add(
            new Archive(name + "!" + entry.getKey(), new ByteArrayInputStream(entry.getValue())));
      }
    }
    return jars;
  }

  /** A header of its manifest; empty if there is none. */
  String header(String header) throws IOException {
    byte[] manifest = entries.get(MANIFEST);
    if (manifest == null) {
      return "";
    }
    String value =
        new Manifest(new ByteArrayInputStream(manifest)).getMainAttributes().getValue(header);
    return value == null ? "" : value;
  }
}
