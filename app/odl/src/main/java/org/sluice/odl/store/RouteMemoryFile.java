// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.AbstractSet;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.IpAddress;
import org.sluice.core.runtime.CoalescedTask;

/** Addresses in a file of this node, one in a line, which outlive its process. */
public final class RouteMemoryFile extends AbstractSet<IpAddress> {
  private static final Logger log = LoggerFactory.getLogger(RouteMemoryFile.class);

  private final Path file;
  private final Set<IpAddress> addresses = ConcurrentHashMap.newKeySet();
  private final CoalescedTask writing;

  /**
   * Begins with what the file has.
   *
   * @param writer writes it, behind those who change the set
   */
  public RouteMemoryFile(Path file, Executor writer) {
    this.file = file;
    writing = new CoalescedTask(writer, this::write);
    read();
  }

  private void read() {
    if (!Files.exists(file)) {
      return;
    }
    try {
      for (String line : Files.readAllLines(file)) {
        addresses.add(IpAddress.parse(line));
      }
    } catch (IOException | IllegalArgumentException e) {
      log.warn("{} cannot be read on: routes of before are learnt anew: {}", file, e.toString());
    }
  }

  private void write() {
    List<String> lines = new ArrayList<>();
    addresses.forEach(ip -> lines.add(ip.toString()));
    Path written = file.resolveSibling(file.getFileName() + ".new");
    try {
      Files.write(written, lines);
      Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      log.warn("{} cannot be written: {}", file, e.toString());
    }
  }

  @Override
  public boolean add(IpAddress ip) {
    boolean added = addresses.add(ip);
    if (added) {
      writing.run();
    }
    return added;
  }

  @Override
  public boolean remove(Object ip) {
    boolean removed = addresses.remove(ip);
    if (removed) {
      writing.run();
    }
    return removed;
  }

  @Override
  public void clear() {
    addresses.clear();
    writing.run();
  }

  @Override
  public int size() {
    return addresses.size();
  }

  /** Of what is there now; it removes nothing. */
  @Override
  public Iterator<IpAddress> iterator() {
    return List.copyOf(addresses).iterator();
  }
}
