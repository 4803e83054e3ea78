// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;
import org.h2.mvstore.type.StringDataType;
import org.sluice.core.spi.ReplicatedMap.Versioned;

/**
 * Entries in one file. It only grows: nothing that is stored is ever overwritten, whatever order a
 * disk writes in; from time to time, and after a failure, a new file takes its place. After a
 * failure because nobody knows then what the disk has, whatever later reads and syncs say. One
 * thread only.
 */
final class StoreFile {
  /** Of what this class writes into an {@link MVStore}. */
  private static final int FORMAT = 1;

  /** The key of what describes all entries, {@code REVISION DIGEST}; no entry has it. */
  private static final String SUMMARY = "";

  private static final long LEAST_GROWTH_BYTES = 8 << 20;
  private static final int GROWTH = 4;

  private final MVStore store;
  private final MVMap<String, String> map;

  /** Sum of all entries' checksums: pages of an MVStore have none of their contents. */
  private long digest;

  private long revision;

  /** Above this size a new file is due. */
  private long limitBytes;

  private StoreFile(MVStore store) {
    this.store = store;
    map =
        store.openMap(
            "entries",
            new MVMap.Builder<String, String>()
                .keyType(StringDataType.INSTANCE)
                .valueType(StringDataType.INSTANCE));
    setLimit();
  }

  private void setLimit() {
    limitBytes = LEAST_GROWTH_BYTES + GROWTH * store.getFileStore().size();
  }

  private static MVStore mvStore(String name) {
    MVStore store =
        new MVStore.Builder().fileName(name).autoCommitDisabled().autoCommitBufferSize(0).open();
    store.setRetentionTime(0);
    store.setVersionsToKeep(0);
    store.getFileStore().setReuseSpace(false);
    return store;
  }

  /**
   * Opens a file that is there.
   *
   * @param scheme of H2's file systems; empty: the usual one
   */
  static StoreFile open(String scheme, Path path) throws IOException {
    String remedy =
        "; put back a copy, or move " + path + " away to begin without tenants and policies";
    try {
      // An MVStore would begin anew.
      if (Files.size(path) == 0) {
        throw new IOException(path + " is damaged: it is empty" + remedy);
      }
      MVStore store = mvStore(scheme + path);
      if (store.getStoreVersion() != FORMAT) {
        store.closeImmediately();
        throw new IOException(otherFormat(path, String.valueOf(store.getStoreVersion())));
      }
      StoreFile file = new StoreFile(store);
      if (!file.isWhole()) {
        store.closeImmediately();
        throw new IOException(path + " is damaged: its checksum is wrong" + remedy);
      }
      return file;
    } catch (MVStoreException e) {
      throw new IOException(
          e.getErrorCode() == DataUtils.ERROR_UNSUPPORTED_FORMAT
              ? otherFormat(path, reason(e))
              : path + " cannot be read: " + reason(e) + remedy,
          e);
    } catch (RuntimeException e) {
      // An MVStore meets bytes that it does not expect in many ways.
      throw new IOException(path + " is damaged: " + e + remedy, e);
    }
  }

  private static String otherFormat(Path path, String format) {
    return path
        + " has another format than this release's "
        + FORMAT
        + " ("
        + format
        + "); start the release that wrote it, or put back a copy from before it";
  }

  private boolean isWhole() {
    String summary = null;
    for (Map.Entry<String, String> entry : map.entrySet()) {
      if (entry.getKey().equals(SUMMARY)) {
        summary = entry.getValue();
      } else {
        digest += checksum(entry.getKey(), entry.getValue());
      }
    }
    if (summary == null || !summary.endsWith(" " + digest)) {
      return false;
    }
    revision = Long.parseLong(summary.substring(0, summary.indexOf(' ')));
    return true;
  }

  /** Makes a file that has these entries, beside the place where it will be. */
  static StoreFile draft(String scheme, Path path, Map<String, Versioned> entries, long revision)
      throws IOException {
    Files.deleteIfExists(draft(path));
    MVStore store = null;
    try {
      store = mvStore(scheme + draft(path));
      store.setStoreVersion(FORMAT);
      StoreFile file = new StoreFile(store);
      Map<String, Optional<Versioned>> all = new TreeMap<>();
      entries.forEach((key, entry) -> all.put(key, Optional.of(entry)));
      file.write(all, revision);
      file.setLimit();
      return file;
    } catch (IOException | RuntimeException e) {
      if (store != null) {
        store.closeImmediately();
      }
      Files.deleteIfExists(draft(path));
      throw e instanceof IOException known ? known : new IOException(reason(e), e);
    }
  }

  private static Path draft(Path path) {
    return path.resolveSibling(path.getFileName() + ".new");
  }

  /**
   * Puts a draft in its place. If that fails, it has perhaps taken it, and is closed.
   *
   * @param path as when it was made
   */
  void install(Path path) throws IOException {
    try {
      Files.move(draft(path), path, StandardCopyOption.ATOMIC_MOVE);
      try (FileChannel directory = FileChannel.open(path.getParent(), StandardOpenOption.READ)) {
        directory.force(true);
      }
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  /** Writes entries, or removes them, and returns once the disk has them; all or none. */
  void write(Map<String, Optional<Versioned>> changes, long newRevision) throws IOException {
    try {
      changes.forEach(
          (key, now) -> {
            String text = now.map(entry -> entry.version() + " " + entry.value()).orElse(null);
            String before = text == null ? map.remove(key) : map.put(key, text);
            digest +=
                (text == null ? 0 : checksum(key, text))
                    - (before == null ? 0 : checksum(key, before));
          });
      revision = newRevision;
      map.put(SUMMARY, revision + " " + digest);
      store.commit();
      store.sync();
    } catch (RuntimeException e) {
      throw new IOException(reason(e), e);
    }
  }

  private static long checksum(String key, String text) {
    CRC32C checksum = new CRC32C();
    checksum.update(key.getBytes(UTF_8));
    checksum.update(0);
    checksum.update(text.getBytes(UTF_8));
    return checksum.getValue();
  }

  /** What the system said, without what MVStore was at. */
  private static String reason(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause.getMessage() == null ? cause.toString() : cause.getMessage();
  }

  Map<String, Versioned> entries() {
    Map<String, Versioned> entries = new TreeMap<>();
    map.forEach(
        (key, text) -> {
          if (!key.equals(SUMMARY)) {
            int end = text.indexOf(' ');
            entries.put(
                key, Versioned.of(text.substring(end + 1), Long.parseLong(text.substring(0, end))));
          }
        });
    return entries;
  }

  /** Of the last write. */
  long revision() {
    return revision;
  }

  boolean isLarge() {
    return store.getFileStore().size() > limitBytes;
  }

  /** A new file could not be made: it is due again later. */
  void postpone() {
    limitBytes *= 2;
  }

  void close() {
    store.closeImmediately();
  }
}
