// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.store;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;
import org.h2.mvstore.SingleFileStore;
import org.h2.mvstore.type.StringDataType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.core.spi.ReplicatedMap.Versioned;

/**
 * Entries in one file. It only grows: nothing that is stored is ever overwritten, whatever order a
 * disk writes in. A new file takes its place from time to time, at each start and after a failure,
 * as nobody knows then what the disk has, whatever later reads and syncs say. One thread only.
 */
final class StoreFile {
  private static final Logger log = LoggerFactory.getLogger(StoreFile.class);

  /** Of what this class writes into an {@link MVStore}. */
  private static final int FORMAT = 1;

  /** What an MVStore writes begins at multiples of it. */
  private static final int BLOCK_BYTES = 4096;

  /** The key of what describes all entries, {@code REVISION DIGEST}; no entry has it. */
  private static final String SUMMARY = "";

  private static final long LEAST_GROWTH_BYTES = 8 << 20;
  private static final int GROWTH = 4;

  private static final String REMEDY =
      "put back a copy, or move it away to begin without tenants and policies";

  private static final class OtherFormatException extends IOException {
    OtherFormatException(String message) {
      super(message);
    }
  }

  /** What a file has: all entries, and the revision that was written last. */
  record Content(Map<String, Versioned> entries, long revision) {}

  private final MVStore store;
  private final MVMap<String, String> map;

  /** Sum of all entries' checksums: an MVStore has none of what it is given. */
  private long digest;

  /** Above this size a new file is due. */
  private long limitBytes;

  private StoreFile(MVStore store) {
    this.store = store;
    map = map(store);
  }

  private static MVMap<String, String> map(MVStore store) {
    return store.openMap(
        "entries",
        new MVMap.Builder<String, String>()
            .keyType(StringDataType.INSTANCE)
            .valueType(StringDataType.INSTANCE));
  }

  /**
   * Reads a file. The last write to it may have been cut off: then it was never acknowledged, and
   * what counts is what was there before.
   *
   * @param scheme of H2's file systems; empty: the usual one
   */
  static Content read(String scheme, Path path) throws IOException {
    try {
      return readWhole(scheme + path);
    } catch (OtherFormatException e) {
      throw new IOException(
          path + " is of another release: " + e.getMessage() + "; start that one, or " + REMEDY, e);
    } catch (IOException e) {
      byte[] content = Files.readAllBytes(path);
      int end = content.length / BLOCK_BYTES * BLOCK_BYTES;
      while (end > 0 && !isBeginning(content, end)) {
        end -= BLOCK_BYTES;
      }
      Files.write(draft(path), Arrays.copyOf(content, end));
      try {
        Content before = readWhole(scheme + draft(path));
        log.warn("{} ends with a write that was never finished; it was dropped", path);
        return before;
      } catch (IOException alsoDamaged) {
        throw new IOException(path + " cannot be read: " + e.getMessage() + "; " + REMEDY, e);
      } finally {
        Files.delete(draft(path));
      }
    }
  }

  /** Whether something that was written at once, a chunk of an MVStore, begins here. */
  private static boolean isBeginning(byte[] content, int position) {
    String text =
        new String(content, position, Math.min(BLOCK_BYTES, content.length - position), ISO_8859_1);
    return text.startsWith("chunk:") && text.contains(",len:") && text.contains(",toc:");
  }

  private static Content readWhole(String name) throws IOException {
    // A store that finds its file damaged leaves it open, and locked.
    SingleFileStore file = new SingleFileStore(new HashMap<>());
    file.open(name, true, (char[]) null);
    try (MVStore store = new MVStore.Builder().readOnly().fileStore(file).open()) {
      if (store.getStoreVersion() == 0) {
        // As no release writes it: what was read is of before the file was whole.
        throw new IOException("its format is missing");
      }
      if (store.getStoreVersion() != FORMAT) {
        throw new OtherFormatException(
            "its format is " + store.getStoreVersion() + ", and this release's " + FORMAT);
      }
      Map<String, Versioned> entries = new TreeMap<>();
      long digest = 0;
      String summary = "";
      for (Map.Entry<String, String> entry : map(store).entrySet()) {
        String text = entry.getValue();
        int end = text.indexOf(' ');
        if (entry.getKey().equals(SUMMARY)) {
          summary = text;
        } else {
          digest += checksum(entry.getKey(), text);
          entries.put(
              entry.getKey(),
              Versioned.of(text.substring(end + 1), Long.parseLong(text.substring(0, end))));
        }
      }
      if (!summary.endsWith(" " + digest)) {
        throw new IOException("its checksum is wrong");
      }
      return new Content(entries, Long.parseLong(summary.substring(0, summary.indexOf(' '))));
    } catch (RuntimeException e) {
      if (e instanceof MVStoreException known
          && known.getErrorCode() == DataUtils.ERROR_UNSUPPORTED_FORMAT) {
        throw new OtherFormatException(reason(e));
      }
      // An MVStore meets bytes that it does not expect with exceptions of any kind.
      throw new IOException(reason(e), e);
    } finally {
      file.close();
    }
  }

  /** Makes a file with this content, beside the place where it will be. */
  static StoreFile draft(String scheme, Path path, Content content) throws IOException {
    StoreFile file = null;
    try {
      Files.deleteIfExists(draft(path));
      MVStore store =
          new MVStore.Builder()
              .fileName(scheme + draft(path))
              .autoCommitDisabled()
              .autoCommitBufferSize(0)
              .open();
      store.setRetentionTime(0);
      store.setVersionsToKeep(0);
      store.getFileStore().setReuseSpace(false);
      store.setStoreVersion(FORMAT);
      file = new StoreFile(store);
      Map<String, Optional<Versioned>> all = new TreeMap<>();
      content.entries.forEach((key, entry) -> all.put(key, Optional.of(entry)));
      file.write(all, content.revision);
      file.limitBytes = LEAST_GROWTH_BYTES + GROWTH * store.getFileStore().size();
      return file;
    } catch (IOException | RuntimeException e) {
      if (file != null) {
        file.close();
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
  void write(Map<String, Optional<Versioned>> changes, long revision) throws IOException {
    try {
      changes.forEach(
          (key, now) -> {
            String text = now.map(entry -> entry.version() + " " + entry.value()).orElse(null);
            String before = text == null ? map.remove(key) : map.put(key, text);
            digest +=
                (text == null ? 0 : checksum(key, text))
                    - (before == null ? 0 : checksum(key, before));
          });
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
  static String reason(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    boolean namesOnlyFile = cause instanceof FileSystemException known && known.getReason() == null;
    return cause.getMessage() == null || namesOnlyFile ? cause.toString() : cause.getMessage();
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
