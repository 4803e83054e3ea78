// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.testing;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.sluice.core.spi.ClusterNodes;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.Leadership;
import org.sluice.core.spi.Mastership;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.spi.ReplicatedStorage;
import org.sluice.core.spi.StorageUnavailableException;

/**
 * A cluster of controller nodes in virtual time, as one on Raft: its maps and roles are where the
 * majority is, and a node may be cut off from that. Then it reads and writes nothing. After {@link
 * #SESSION_MILLIS} others take its roles over, and from then on it misses what changes.
 */
public final class MemoryCluster {
  /** So long a node that is cut off keeps its roles, ms. */
  public static final long SESSION_MILLIS = 5_000;

  private static final long LONGEST_CALL_NANOS = TimeUnit.MINUTES.toNanos(1);

  public final MemoryStorage storage = new MemoryStorage();
  private final VirtualTime time;
  private final Map<String, Role> roles = new TreeMap<>();
  private final Map<String, Member> members = new LinkedHashMap<>();
  private long delayNanos;
  private boolean forgetsLeaders = true;

  MemoryCluster(VirtualTime time) {
    this.time = time;
  }

  /** Mastership of a switch, by its datapath, or leadership of a topic. Immutable. */
  private static final class Role {
    static final Role NOBODYS = new Role(null, 0, Set.of());
    final String holder;
    final long term;
    final Set<String> candidates;

    Role(String holder, long term, Set<String> candidates) {
      this.holder = holder;
      this.term = term;
      this.candidates = candidates;
    }

    Role heldBy(String node) {
      return new Role(node, node == null ? term : term + 1, candidates);
    }

    Role with(String candidate) {
      Set<String> more = new LinkedHashSet<>(candidates);
      more.add(candidate);
      return new Role(holder, term, more);
    }

    Role without(String candidate) {
      Set<String> fewer = new LinkedHashSet<>(candidates);
      fewer.remove(candidate);
      return new Role(holder, term, fewer);
    }
  }

  // ------------------------------------------------------------ what a test does

  /** What a node writes, reads or is notified of takes so long one way; lost packets come late. */
  public void setDelayMillis(long millis) {
    delayNanos = TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /** Nodes that are cut off take themselves for what they were until they are back. */
  public void keepLeadersThatAreCutOff() {
    forgetsLeaders = false;
  }

  /** A node is not connected to the majority any longer. */
  public void cut(String node) {
    Member member = members.get(node);
    if (member.connected) {
      member.connected = false;
      int cuts = ++member.cuts;
      time.at(
          TimeUnit.MILLISECONDS.toNanos(SESSION_MILLIS),
          () -> {
            if (!member.connected && member.cuts == cuts) {
              member.expire();
            }
          });
    }
  }

  /** A node is connected to the majority again. */
  public void heal(String node) {
    Member member = members.get(node);
    if (!member.connected) {
      member.connected = true;
      member.later(member::rejoin);
    }
  }

  /** The node that has a role, a switch's or a topic's. */
  public Optional<String> holderOf(String role) {
    return Optional.ofNullable(role(role).holder);
  }

  /** A node takes a role over; null: nobody has it any longer. */
  public void give(String role, String node) {
    change(role, role(role).heldBy(node));
  }

  // ------------------------------------------------------------ where the majority is

  private Role role(String name) {
    return roles.getOrDefault(name, Role.NOBODYS);
  }

  private void change(String name, Role now) {
    roles.put(name, now);
    members.values().forEach(member -> member.later(() -> member.see(name, now)));
  }

  private boolean isConnected(String node) {
    return members.containsKey(node) && members.get(node).connected;
  }

  /** The next of its candidates has a role, or nobody. */
  private void passOn(String name, Set<String> candidates) {
    give(name, candidates.stream().filter(this::isConnected).findFirst().orElse(null));
  }

  /** A node of this name joins, perhaps again. */
  Member join(String node) {
    Member member = new Member(node);
    members.put(node, member);
    return member;
  }

  /** The cluster as one node has it. */
  final class Member implements ReplicatedStorage, Mastership, Leadership, ClusterNodes {
    private final String name;
    private final Epoch epoch = new Epoch();
    private final Map<String, Role> known = new HashMap<>(roles);

    /** What it would be notified of if it were connected. */
    private final List<Runnable> held = new ArrayList<>();

    private final Set<String> topics = new LinkedHashSet<>();
    private boolean connected = true;
    private boolean expired;
    private boolean dead;
    private int cuts;

    private Member(String name) {
      this.name = name;
    }

    /** Its machine fails: nothing that it began comes to an end. */
    void die() {
      cut(name);
      dead = true;
    }

    boolean isAlive() {
      return !dead;
    }

    @Override
    public String local() {
      return name;
    }

    @Override
    public Collection<String> all() {
      return List.copyOf(members.keySet());
    }

    /** What the majority notifies it of. */
    private void later(Runnable notification) {
      if (delayNanos == 0) {
        receive(notification);
      } else {
        time.at(delayNanos, () -> receive(notification));
      }
    }

    private void receive(Runnable notification) {
      if (connected && !dead) {
        notification.run();
      } else if (!expired) {
        held.add(notification);
      }
    }

    private void see(String role, Role now) {
      known.put(role, now);
      epoch.advance();
    }

    private void expire() {
      expired = true;
      held.clear();
      topics.forEach(topic -> roles.put(topic, role(topic).without(name)));
      Map.copyOf(roles)
          .forEach(
              (role, state) -> {
                if (name.equals(state.holder)) {
                  passOn(role, isSwitch(role) ? members.keySet() : state.candidates);
                }
              });
      if (forgetsLeaders) {
        known.keySet().removeIf(role -> !isSwitch(role));
        epoch.advance();
      }
    }

    private void rejoin() {
      List.copyOf(held).forEach(Runnable::run);
      held.clear();
      expired = false;
      known.putAll(roles);
      epoch.advance();
      List.copyOf(topics).forEach(this::run);
    }

    private boolean isSwitch(String role) {
      return role.startsWith("of:");
    }

    private <T> T call(Supplier<T> operation) {
      travel();
      T result = operation.get();
      travel(); // What was written is, even if this fails.
      return result;
    }

    private void travel() {
      if (delayNanos > 0) {
        CompletableFuture<Void> arrival = new CompletableFuture<>();
        time.at(delayNanos, () -> arrival.complete(null));
        try {
          time.await(arrival, LONGEST_CALL_NANOS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
          throw new StorageUnavailableException(e);
        }
      }
      if (!connected) {
        throw new StorageUnavailableException(new IllegalStateException("no majority"));
      }
    }

    @Override
    public ReplicatedMap map(String map) {
      return new MemberMap(storage.map(map));
    }

    @Override
    public Epoch epoch() {
      return epoch;
    }

    private boolean holds(String role) {
      return known.containsKey(role) && name.equals(known.get(role).holder);
    }

    @Override
    public boolean isLocal(String datapathOrTopic) {
      return holds(datapathOrTopic);
    }

    @Override
    public Optional<String> masterOf(String datapath) {
      return Optional.ofNullable(known.getOrDefault(datapath, Role.NOBODYS).holder);
    }

    @Override
    public long takeover(String datapath) {
      return known.getOrDefault(datapath, Role.NOBODYS).term;
    }

    @Override
    public OptionalLong localTerm(String topic) {
      return holds(topic) ? OptionalLong.of(known.get(topic).term) : OptionalLong.empty();
    }

    @Override
    public boolean isVacant(String topic) {
      return !connected || known.getOrDefault(topic, Role.NOBODYS).holder == null;
    }

    @Override
    public void run(String topic) {
      topics.add(topic);
      roles.put(topic, role(topic).with(name));
      if (role(topic).holder == null) {
        passOn(topic, role(topic).candidates);
      }
    }

    @Override
    public void withdraw(String topic) {
      topics.remove(topic);
      roles.put(topic, role(topic).without(name));
      if (name.equals(role(topic).holder)) {
        passOn(topic, role(topic).candidates);
      }
    }

    /** A map as this node has it: calls take their time, and listeners are notified late. */
    private final class MemberMap implements ReplicatedMap {
      private final ReplicatedMap map;
      private final Map<Listener, Listener> listeners = new HashMap<>();

      MemberMap(ReplicatedMap map) {
        this.map = map;
      }

      @Override
      public Optional<Versioned> get(String key) {
        return call(() -> map.get(key));
      }

      @Override
      public Map<String, Versioned> entries() {
        return call(map::entries);
      }

      @Override
      public void put(String key, String value) {
        call(
            () -> {
              map.put(key, value);
              return true;
            });
      }

      @Override
      public boolean putIfAbsent(String key, String value) {
        return call(() -> map.putIfAbsent(key, value));
      }

      @Override
      public boolean replace(String key, long version, String value) {
        return call(() -> map.replace(key, version, value));
      }

      @Override
      public void remove(String key) {
        call(
            () -> {
              map.remove(key);
              return true;
            });
      }

      @Override
      public boolean remove(String key, long version) {
        return call(() -> map.remove(key, version));
      }

      @Override
      public void clear() {
        call(
            () -> {
              map.clear();
              return true;
            });
      }

      @Override
      public void addListener(Listener listener) {
        Listener late = (key, before, now) -> later(() -> listener.changed(key, before, now));
        listeners.put(listener, late);
        map.addListener(late);
      }

      @Override
      public void removeListener(Listener listener) {
        map.removeListener(listeners.remove(listener));
      }
    }
  }
}
