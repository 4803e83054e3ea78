// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/** Datagrams that Linux has dropped because a socket's receive buffer was full. */
final class SocketDrops {
  private static final int LOCAL_ADDRESS = 1;

  private final List<Path> tables;

  SocketDrops() {
    this(List.of(Path.of("/proc/self/net/udp"), Path.of("/proc/self/net/udp6")));
  }

  /**
   * Reads elsewhere.
   *
   * @param tables in the form of proc(5)
   */
  SocketDrops(List<Path> tables) {
    this.tables = tables;
  }

  /** Of the sockets of this port; empty if the system does not say. */
  OptionalLong read(int port) {
    String suffix = String.format(":%04X", port);
    OptionalLong found = OptionalLong.empty();
    for (Path table : tables) {
      for (String line : lines(table)) {
        String[] columns = line.trim().split("\\s+");
        if (columns.length > LOCAL_ADDRESS && columns[LOCAL_ADDRESS].endsWith(suffix)) {
          found = OptionalLong.of(found.orElse(0) + number(columns[columns.length - 1]));
        }
      }
    }
    return found;
  }

  private static List<String> lines(Path table) {
    try {
      return Files.readAllLines(table);
    } catch (IOException e) {
      return List.of();
    }
  }

  private static long number(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      return 0;
    }
  }
}
