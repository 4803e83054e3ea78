// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.h2.store.fs.FileBaseDefault;
import org.h2.store.fs.FilePath;
import org.h2.store.fs.FilePathWrapper;

/** The usual file system of this process, but for disks that fill up and power that fails. */
public final class FaultyDisk extends FilePathWrapper {
  static final String SCHEME = "faulty:";

  /** A disk loses parts of a write by sectors. */
  private static final int SECTOR_BYTES = 512;

  private static volatile long roomBytes;
  private static volatile Runnable beforeEachCall;
  private static volatile Channel inPlace;

  /** A disk with room, where nothing happens. */
  static void repair() {
    FilePath.register(new FaultyDisk());
    roomBytes = Long.MAX_VALUE;
    beforeEachCall = () -> {};
  }

  /** No file grows beyond so many bytes. */
  static void fillUp(long room) {
    roomBytes = room;
  }

  /** Something that happens before each write and each sync. */
  static void beforeEachCall(Runnable action) {
    beforeEachCall = action;
  }

  /**
   * What the file in place has after a power failure now: all that was synced, and any part of what
   * was not. A file is in place once it was synced: none that is being made is.
   */
  static byte[] afterPowerFailure(Random random) {
    return inPlace.afterPowerFailure(random);
  }

  @Override
  public String getScheme() {
    return SCHEME.substring(0, SCHEME.length() - 1);
  }

  @Override
  public FileChannel open(String mode) throws IOException {
    return new Channel(getBase().open(mode));
  }

  private record Written(long position, byte[] bytes) {}

  private static final class Channel extends FileBaseDefault {
    private final FileChannel base;
    private final List<Written> unsynced = new ArrayList<>();
    private byte[] synced;

    Channel(FileChannel base) throws IOException {
      this.base = base;
      synced = content();
    }

    private byte[] content() throws IOException {
      ByteBuffer content = ByteBuffer.allocate((int) base.size());
      while (content.hasRemaining() && base.read(content, content.position()) >= 0) {}
      return content.array();
    }

    synchronized byte[] afterPowerFailure(Random random) {
      byte[] left = synced;
      for (Written write : unsynced) {
        for (int start = 0; start < write.bytes.length; start += SECTOR_BYTES) {
          if (random.nextInt(4) > 0) {
            int length = Math.min(SECTOR_BYTES, write.bytes.length - start);
            int position = (int) write.position + start;
            left = Arrays.copyOf(left, Math.max(left.length, position + length));
            System.arraycopy(write.bytes, start, left, position, length);
          }
        }
      }
      return left;
    }

    @Override
    public synchronized int write(ByteBuffer source, long position) throws IOException {
      beforeEachCall.run();
      int length = (int) Math.min(source.remaining(), roomBytes - position);
      if (length <= 0) {
        throw new IOException("No space left on device");
      }
      byte[] bytes = new byte[length];
      source.get(bytes);
      unsynced.add(new Written(position, bytes));
      return base.write(ByteBuffer.wrap(bytes), position);
    }

    @Override
    public synchronized void force(boolean metaData) throws IOException {
      beforeEachCall.run();
      base.force(metaData);
      unsynced.clear();
      synced = content();
      inPlace = this;
    }

    @Override
    protected void implTruncate(long size) {
      throw new UnsupportedOperationException("the store never cuts a file");
    }

    @Override
    public synchronized int read(ByteBuffer target, long position) throws IOException {
      return base.read(target, position);
    }

    @Override
    public long size() throws IOException {
      return base.size();
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) throws IOException {
      return base.tryLock(position, size, shared);
    }

    @Override
    protected void implCloseChannel() throws IOException {
      base.close();
    }
  }
}
