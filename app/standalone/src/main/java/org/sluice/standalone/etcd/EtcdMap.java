// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.sluice.standalone.etcd.Etcd.bytes;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.watch.WatchEvent;
import io.etcd.jetcd.watch.WatchResponse;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.spi.StorageUnavailableException;

/**
 * Keys of etcd below a prefix. Their versions are etcd's revisions. Listeners are notified of what
 * a watch reports; where it has a gap, because etcd was away for long or forgot what lies between,
 * of how what is there now differs from what they knew.
 */
final class EtcdMap implements ReplicatedMap {
  private static final Logger log = LoggerFactory.getLogger(EtcdMap.class);
  private static final long RETRY_MILLIS = 300;
  private static final long ABSENT = 0;

  private final Etcd etcd;
  private final String prefix;
  private final ScheduledExecutorService notifier;
  private final Collection<Listener> listeners = new CopyOnWriteArrayList<>();

  /** Begins with the first listener. */
  private CompletableFuture<Void> following;

  // Notifier only:
  private final Map<String, Versioned> known = new TreeMap<>();
  private boolean isLoaded;
  private Watch.Watcher watcher;
  private long watches;

  EtcdMap(Etcd etcd, String prefix, ScheduledExecutorService notifier) {
    this.etcd = etcd;
    this.prefix = prefix;
    this.notifier = notifier;
  }

  private ByteSequence id(String key) {
    return bytes(prefix + key);
  }

  private String key(KeyValue entry) {
    return entry.getKey().toString(UTF_8).substring(prefix.length());
  }

  private static Versioned versioned(KeyValue entry) {
    return Versioned.of(entry.getValue().toString(UTF_8), entry.getModRevision());
  }

  @Override
  public Optional<Versioned> get(String key) {
    return etcd.answer(etcd.keys().get(id(key))).getKvs().stream()
        .findFirst()
        .map(EtcdMap::versioned);
  }

  @Override
  public Map<String, Versioned> entries() {
    return entries(all());
  }

  private GetResponse all() {
    return etcd.answer(etcd.keys().get(id(""), GetOption.builder().isPrefix(true).build()));
  }

  private Map<String, Versioned> entries(GetResponse response) {
    Map<String, Versioned> found = new TreeMap<>();
    response.getKvs().forEach(entry -> found.put(key(entry), versioned(entry)));
    return found;
  }

  @Override
  public void put(String key, String value) {
    etcd.answer(etcd.keys().put(id(key), bytes(value)));
  }

  @Override
  public boolean putIfAbsent(String key, String value) {
    return replace(key, ABSENT, value);
  }

  @Override
  public boolean replace(String key, long version, String value) {
    return change(key, version, Op.put(id(key), bytes(value), PutOption.DEFAULT));
  }

  @Override
  public void remove(String key) {
    etcd.answer(etcd.keys().delete(id(key)));
  }

  @Override
  public boolean remove(String key, long version) {
    return change(key, version, Op.delete(id(key), DeleteOption.DEFAULT));
  }

  private boolean change(String key, long version, Op change) {
    Cmp isAt = new Cmp(id(key), Cmp.Op.EQUAL, CmpTarget.modRevision(version));
    return etcd.answer(etcd.keys().txn().If(isAt).Then(change).commit()).isSucceeded();
  }

  @Override
  public void clear() {
    etcd.answer(etcd.keys().delete(id(""), DeleteOption.builder().isPrefix(true).build()));
  }

  /** Where etcd does not answer, a listener is notified later of all that is there. */
  @Override
  public void addListener(Listener listener) {
    listeners.add(listener);
    try {
      etcd.answer(follow());
    } catch (StorageUnavailableException e) {
      log.debug("{} will be followed once etcd answers", prefix, e);
    }
  }

  private synchronized CompletableFuture<Void> follow() {
    if (following == null) {
      following = CompletableFuture.runAsync(this::load, notifier);
    }
    return following;
  }

  @Override
  public void removeListener(Listener listener) {
    listeners.remove(listener);
  }

  private void load() {
    try {
      GetResponse response = all();
      Map<String, Versioned> now = entries(response);
      if (isLoaded) {
        Set<String> names = new TreeSet<>(known.keySet());
        names.addAll(now.keySet());
        names.forEach(key -> update(key, Optional.ofNullable(now.get(key))));
      } else {
        // What stood before is no change.
        known.putAll(now);
        isLoaded = true;
      }
      watch(response.getHeader().getRevision() + 1);
    } catch (StorageUnavailableException e) {
      log.debug("{} is read again soon", prefix, e);
      // From now on all that there is is news.
      isLoaded = true;
      notifier.schedule(this::load, RETRY_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  /** Jetcd would resume a watch that broke off, but pass over what it has not caught up with. */
  private void watch(long revision) {
    WatchOption options =
        WatchOption.builder()
            .isPrefix(true)
            .withRevision(revision)
            // A member of etcd that is cut off says so.
            .withRequireLeader(true)
            .build();
    long own = ++watches;
    watcher =
        etcd.client()
            .getWatchClient()
            .watch(
                id(""),
                options,
                Watch.listener(
                    response -> ofWatch(own, () -> receive(response)),
                    failure -> ofWatch(own, this::reload),
                    () -> ofWatch(own, this::reload)));
  }

  private void ofWatch(long own, Runnable task) {
    if (!notifier.isShutdown()) {
      notifier.execute(
          () -> {
            if (own == watches) {
              task.run();
            }
          });
    }
  }

  private void reload() {
    watches++;
    watcher.close();
    load();
  }

  private void receive(WatchResponse response) {
    for (WatchEvent event : response.getEvents()) {
      KeyValue entry = event.getKeyValue();
      update(
          key(entry),
          event.getEventType() == WatchEvent.EventType.PUT
              ? Optional.of(versioned(entry))
              : Optional.empty());
    }
  }

  private void update(String key, Optional<Versioned> now) {
    Optional<Versioned> before = Optional.ofNullable(known.get(key));
    if (before.equals(now)) {
      return;
    }
    now.ifPresentOrElse(entry -> known.put(key, entry), () -> known.remove(key));
    for (Listener listener : listeners) {
      try {
        listener.changed(key, before, now);
      } catch (RuntimeException e) {
        log.error("A listener could not handle a change", e);
      }
    }
  }
}
