// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.openflow;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.toList;

import com.google.common.hash.Hashing;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.forwarding.spi.Group;
import org.sluice.forwarding.spi.GroupTable;
import org.sluice.forwarding.spi.RuleTable.State;

/**
 * Select groups by openflowplugin's group service. A group's number follows from its name, so that
 * one of an earlier life is known again by whoever looks it up by name.
 */
final class OdlGroups extends SentTable<Long, OdlGroups.Stored, Long> implements GroupTable {
  private static final long OURS = 0x51L << 24;
  private static final long HASH = 0xffffffL;
  private static final Logger log = LoggerFactory.getLogger(OdlGroups.class);

  OdlGroups(SwitchCalls calls, Function<String, SendWindow> windows) {
    super(calls, windows);
  }

  /** A group that was sent, or found. */
  static final class Stored extends SentTable.Item<Long> {
    /** Empty: it was found and nobody has asked for it yet. */
    private Optional<String> name;

    /** Empty: it was found. */
    private final List<Long> ports;

    Stored(String datapath, long id, State state, Optional<String> name, List<Long> ports) {
      super(datapath, id, state);
      this.name = name;
      this.ports = ports;
    }

    String anyName() {
      return name.orElse("0x" + Long.toHexString(key));
    }

    Group group() {
      return Group.of(anyName(), key, state == State.CONFIRMED);
    }
  }

  @Override
  CompletableFuture<?> adding(Stored stored) {
    return calls.addGroup(stored.datapath, stored.key, stored.anyName(), stored.ports);
  }

  @Override
  CompletableFuture<?> removing(Stored stored) {
    return calls.removeGroup(stored.datapath, stored.key);
  }

  @Override
  void refused(Stored stored, String reason) {
    forget(stored);
    log.warn("Switch {} refused the group {}: {}", stored.datapath, stored.anyName(), reason);
  }

  @Override
  Long keyOf(Long found) {
    return found;
  }

  @Override
  void read(Stored stored, Long found, boolean isSettled) {
    // There is no more to it.
  }

  @Override
  boolean isWhole(Stored stored) {
    return !stored.ports.isEmpty();
  }

  @Override
  Optional<Stored> discovered(String datapath, Long id, Long found) {
    return (id & ~HASH) == OURS
        ? Optional.of(new Stored(datapath, id, State.CONFIRMED, Optional.empty(), List.of()))
        : Optional.empty();
  }

  @Override
  public Collection<Group> groups(String datapath) {
    return standing(datapath).stream().map(Stored::group).collect(toList());
  }

  @Override
  public Optional<Group> group(String datapath, String name) {
    return find(datapath, name).map(Stored::group);
  }

  /** The one of that name; one that was found where it belongs has it from now on. */
  private Optional<Stored> find(String datapath, String name) {
    List<Stored> all = standing(datapath);
    Optional<Stored> named = all.stream().filter(s -> s.anyName().equals(name)).findFirst();
    if (named.isPresent()) {
      return named;
    }
    Optional<Stored> found =
        all.stream().filter(s -> s.key == id(name) && s.name.isEmpty()).findFirst();
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
        send(new Stored(datapath, id, State.SENT, Optional.of(name), List.copyOf(ports)));
      }
    }
  }

  @Override
  public void remove(String datapath, String name) {
    find(datapath, name).ifPresent(this::remove);
  }
}
