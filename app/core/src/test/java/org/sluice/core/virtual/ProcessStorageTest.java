// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.virtual;

import org.sluice.core.spi.ReplicatedStorage;
import org.sluice.core.testing.ReplicatedMapConformance;

class ProcessStorageTest extends ReplicatedMapConformance {
  private final ReplicatedStorage storage = new ProcessStorage();

  @Override
  protected ReplicatedStorage storage() {
    return storage;
  }
}
