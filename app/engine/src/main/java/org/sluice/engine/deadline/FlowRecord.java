// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import java.util.OptionalLong;
import org.sluice.api.deadline.FlowKey;

/** A registration as it is at some time. Immutable. */
public final class FlowRecord {
  private final long id;
  private final FlowKey key;
  private final long sizeBytes;
  private final long remainingBytes;
  private final long deadlineNanos;
  private final boolean promised;
  private final boolean sending;
  private final OptionalLong openedNanos;

  private FlowRecord(
      long id,
      FlowKey key,
      long sizeBytes,
      long remainingBytes,
      long deadlineNanos,
      boolean promised,
      boolean sending,
      OptionalLong openedNanos) {
    this.openedNanos = openedNanos;
    this.id = id;
    this.key = key;
    this.sizeBytes = sizeBytes;
    this.remainingBytes = remainingBytes;
    this.deadlineNanos = deadlineNanos;
    this.promised = promised;
    this.sending = sending;
  }

  static FlowRecord of(GifRow row) {
    return new FlowRecord(
        row.id,
        row.key,
        row.sizeBytes,
        row.remainingBytes(),
        row.deadlineNanos,
        row.promised,
        row.isSending(),
        row.opened());
  }

  /** The same with nothing left. */
  FlowRecord through() {
    return new FlowRecord(id, key, sizeBytes, 0, deadlineNanos, promised, sending, openedNanos);
  }

  public long id() {
    return id;
  }

  /** As registered: ports may stand for any. */
  public FlowKey key() {
    return key;
  }

  public long sizeBytes() {
    return sizeBytes;
  }

  /** What of its size has not arrived yet, bytes. */
  public long remainingBytes() {
    return remainingBytes;
  }

  public long deadlineNanos() {
    return deadlineNanos;
  }

  public boolean promised() {
    return promised;
  }

  /** When its connection began; empty if it has not, or if unknown. */
  public OptionalLong openedNanos() {
    return openedNanos;
  }

  /** Whether its connection has been seen. */
  public boolean sending() {
    return sending;
  }
}
