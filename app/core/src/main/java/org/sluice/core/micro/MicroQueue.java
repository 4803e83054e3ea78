// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.micro;

/** What the law evaluates: how long short flows' queue at a port is. Engine thread only. */
interface MicroQueue {

  /** Whether there is something that was not evaluated yet, and is not too old. */
  boolean isNew(long nowNanos);

  void evaluated();

  int microPackets();

  /** All that has left of short flows', bytes of whole frames. */
  long microSentBytes();
}
