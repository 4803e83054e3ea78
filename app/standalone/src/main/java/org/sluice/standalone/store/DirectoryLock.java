// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Keeps a directory for one process, as long as it lives. */
final class DirectoryLock implements AutoCloseable {
  private static final String FILE = "lock";

  private final FileChannel channel;

  private DirectoryLock(FileChannel channel) {
    this.channel = channel;
  }

  /**
   * Takes a directory.
   *
   * @throws IOException with the holder's name, if another process has it
   */
  static DirectoryLock take(Path directory) throws IOException {
    Path file = directory.resolve(FILE);
    FileChannel channel = open(file);
    try {
      if (channel.tryLock() == null) {
        throw new OverlappingFileLockException();
      }
      writeHolder(channel);
      return new DirectoryLock(channel);
    } catch (OverlappingFileLockException e) {
      channel.close();
      throw new IOException(
          directory
              + " is in use by "
              + Files.readString(file).strip()
              + ": stop that one, or name another directory",
          e);
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  private static FileChannel open(Path file) throws IOException {
    try {
      return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw new IOException(
          file + " cannot be written: " + e + "; its directory has to be there, and this user's",
          e);
    }
  }

  private static void writeHolder(FileChannel channel) {
    ProcessHandle self = ProcessHandle.current();
    String holder =
        "process "
            + self.pid()
            + self.info().command().map(command -> " (" + command + ")").orElse("")
            + "\n";
    try {
      channel.truncate(0);
      channel.write(ByteBuffer.wrap(holder.getBytes(UTF_8)), 0);
    } catch (IOException e) {
      // A full disk: the lock holds without the name.
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
