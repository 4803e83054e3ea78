// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.openflow;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.toList;

import com.google.common.hash.Hashing;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.core.spi.Epoch;
import org.sluice.forwarding.spi.Group;
import org.sluice.forwarding.spi.GroupTable;
import org.sluice.odl.openflow.SwitchCalls.Refusal;

/**
 * Select groups by openflowplugin's group service. A group's number follows from its name, so that
 * one of an earlier life is known again by whoever asks for it by name.
 */
final class OdlGroups implements GroupTable {
  private static final long OURS = 0x51L << 24;
  private static final long HASH = 0xffffffL;
  private static final Logger log = LoggerFactory.getLogger(OdlGroups.class);

  private final SwitchCalls calls;
  private final Function<String, SendWindow> windows;
  private final Epoch epoch = new Epoch();
  private final Map<String, Map<Long, Stored>> bySwitch = new ConcurrentHashMap<>();

  /** Removed ones with the step of their removal, until a reading began later. */
  private final Map<String, Map<Long, Long>> removed = new ConcurrentHashMap<>();

  OdlGroups(SwitchCalls calls, Function<String, SendWindow> windows) {
    this.calls = calls;
    this.windows = windows;
  }

  /** A group that was sent, or found. */
  private static final class Stored {
    private final long id;

    /** Empty: it was found and nobody has asked for it yet. */
    private Optional<String> name;

    private final List<Long> ports;
    private boolean isConfirmed;
    private boolean isLeaving;
    private boolean isUnderWay;
    private long changedAt;

    Stored(long id, Optional<String> name, List<Long> ports) {
      this.id = id;
      this.name = name;
      this.ports = ports;
    }

    String anyName() {
      return name.orElse("0x" + Long.toHexString(id));
    }
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  private Map<Long, Stored> of(String datapath) {
    return bySwitch.computeIfAbsent(datapath, d -> new HashMap<>());
  }

  @Override
  public Collection<Group> groups(String datapath) {
    synchronized (windows.apply(datapath)) {
      return of(datapath).values().stream()
          .filter(stored -> !stored.isLeaving)
          .map(stored -> Group.of(stored.anyName(), stored.id, stored.isConfirmed))
          .collect(toList());
    }
  }

  @Override
  public Optional<Group> group(String datapath, String name) {
    synchronized (windows.apply(datapath)) {
      return find(datapath, name).map(stored -> Group.of(name, stored.id, stored.isConfirmed));
    }
  }

  /** The one of that name; one that was found where it belongs has it from now on. */
  private Optional<Stored> find(String datapath, String name) {
    Optional<Stored> named =
        of(datapath).values().stream()
            .filter(stored -> !stored.isLeaving && stored.anyName().equals(name))
            .findFirst();
    if (named.isPresent()) {
      return named;
    }
    Optional<Stored> found =
        Optional.ofNullable(of(datapath).get(id(name)))
            .filter(stored -> !stored.isLeaving && stored.name.isEmpty());
    found.ifPresent(stored -> stored.name = Optional.of(name));
    return found;
  }

  private static long id(String name) {
    return OURS | Hashing.murmur3_32_fixed().hashString(name, UTF_8).asInt() & HASH;
  }

  @Override
  public void add(String datapath, String name, List<Long> ports) {
    synchronized (windows.apply(datapath)) {
      if (find(datapath, name).isEmpty()) {
        long id = id(name);
        while (of(datapath).containsKey(id)) {
          id = OURS | id + 1 & HASH;
        }
        send(datapath, new Stored(id, Optional.of(name), List.copyOf(ports)));
      }
    }
    epoch.advance();
  }

  private void send(String datapath, Stored stored) {
    of(datapath).put(stored.id, stored);
    stored.isUnderWay = true;
    windows
        .apply(datapath)
        .submit(() -> calls.addGroup(datapath, stored.id, stored.anyName(), stored.ports))
        .whenComplete((done, failure) -> sent(datapath, stored, failure));
  }

  private void sent(String datapath, Stored stored, Throwable failure) {
    SendWindow window = windows.apply(datapath);
    synchronized (window) {
      ended(stored, window);
      stored.isConfirmed |= failure == null;
      if (failure instanceof Refusal && !stored.isLeaving) {
        of(datapath).remove(stored.id, stored);
        log.warn(
            "Switch {} refused the group {}: {}", datapath, stored.anyName(), failure.getMessage());
      }
    }
    if (failure == null || failure instanceof Refusal) {
      epoch.advance();
    }
  }

  private static void ended(Stored stored, SendWindow window) {
    stored.isUnderWay = false;
    stored.changedAt = window.step();
  }

  @Override
  public void remove(String datapath, String name) {
    synchronized (windows.apply(datapath)) {
      find(datapath, name).ifPresent(stored -> remove(datapath, stored));
    }
    epoch.advance();
  }

  private void remove(String datapath, Stored stored) {
    stored.isLeaving = true;
    stored.isUnderWay = true;
    windows
        .apply(datapath)
        .submit(() -> calls.removeGroup(datapath, stored.id))
        .whenComplete((done, failure) -> left(datapath, stored, failure));
  }

  private void left(String datapath, Stored stored, Throwable failure) {
    SendWindow window = windows.apply(datapath);
    synchronized (window) {
      ended(stored, window);
      if (failure == null) {
        forget(datapath, stored);
      }
    }
  }

  private void forget(String datapath, Stored stored) {
    of(datapath).remove(stored.id, stored);
    removed.computeIfAbsent(datapath, d -> new HashMap<>()).put(stored.id, stored.changedAt);
  }

  /**
   * Compares what is remembered with what a switch has.
   *
   * @param found the numbers of its groups
   * @param began the step at which it was asked; what has happened since is left alone
   */
  void audit(String datapath, Set<Long> found, long began) {
    synchronized (windows.apply(datapath)) {
      Set<Long> there = new HashSet<>(found);
      for (Stored stored : List.copyOf(of(datapath).values())) {
        boolean stands = there.remove(stored.id);
        if (!stored.isUnderWay && stored.changedAt < began) {
          audit(datapath, stored, stands);
        }
      }
      Map<Long, Long> gone = removed.getOrDefault(datapath, Map.of());
      gone.values().removeIf(at -> at < began);
      for (long id : there) {
        if ((id & ~HASH) == OURS && !gone.containsKey(id)) {
          Stored stored = new Stored(id, Optional.empty(), List.of());
          stored.isConfirmed = true;
          of(datapath).put(id, stored);
        }
      }
    }
    epoch.advance();
  }

  private void audit(String datapath, Stored stored, boolean stands) {
    if (stored.isLeaving && stands) {
      remove(datapath, stored);
    } else if (stands) {
      stored.isConfirmed = true;
    } else if (stored.isLeaving || stored.ports.isEmpty()) {
      forget(datapath, stored);
    } else {
      stored.isConfirmed = false;
      send(datapath, stored);
    }
  }

  /** The switch went away, and may come back without them. */
  void doubt(String datapath) {
    synchronized (windows.apply(datapath)) {
      of(datapath).values().forEach(stored -> stored.isConfirmed = false);
    }
    epoch.advance();
  }

  /** How many groups of a switch are still to be taken back. */
  long leaving(String datapath) {
    synchronized (windows.apply(datapath)) {
      return of(datapath).values().stream().filter(stored -> stored.isLeaving).count();
    }
  }

  /** The switch is another node's. */
  void forget(String datapath) {
    synchronized (windows.apply(datapath)) {
      bySwitch.remove(datapath);
      removed.remove(datapath);
    }
    epoch.advance();
  }
}
