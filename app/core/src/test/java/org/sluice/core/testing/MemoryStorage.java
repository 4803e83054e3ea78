// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.testing;

import org.sluice.core.spi.StorageUnavailableException;
import org.sluice.core.virtual.ProcessStorage;

/** A cluster's storage in this process: every node of a test that is given it shares its maps. */
public final class MemoryStorage extends ProcessStorage {
  private boolean available = true;
  private Runnable beforeReplace = () -> {};
  private Runnable afterReplace = () -> {};

  /** The cluster has lost its majority, or has it back. */
  public synchronized void setAvailable(boolean value) {
    available = value;
  }

  /** Something that another node does just before this one's next conditional write. */
  public synchronized void beforeNextReplace(Runnable action) {
    beforeReplace = action;
  }

  /** Something that another node does just after somebody's next replacement of an entry. */
  public synchronized void afterNextReplace(Runnable action) {
    afterReplace = action;
  }

  @Override
  protected void called() {
    if (!available) {
      throw new StorageUnavailableException(new IllegalStateException("no majority"));
    }
  }

  @Override
  protected void beforeConditionalWrite() {
    Runnable action = beforeReplace;
    beforeReplace = () -> {};
    action.run();
  }

  @Override
  protected void replaced() {
    Runnable action = afterReplace;
    afterReplace = () -> {};
    action.run();
  }
}
