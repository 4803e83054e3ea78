// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.store;

import java.nio.file.Path;

/** Writes 1, 2, 3 ... into a storage until it is killed, and prints each one that was accepted. */
final class StoreProcess {
  private StoreProcess() {}

  public static void main(String[] arguments) throws Exception {
    FileStorage storage = FileStorage.open(Path.of(arguments[0]));
    for (int i = 1; ; i++) {
      storage.map("numbers").put(String.valueOf(i), "x".repeat(i % 3000));
      System.out.println(i);
    }
  }
}
