// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

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

  private FlowRecord(GifRow row) {
    id = row.id;
    key = row.key;
    sizeBytes = row.sizeBytes;
    remainingBytes = row.remainingBytes();
    deadlineNanos = row.deadlineNanos;
    promised = row.promised;
    sending = row.isSending();
  }

  static FlowRecord of(GifRow row) {
    return new FlowRecord(row);
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

  /** Whether its connection has been seen. */
  public boolean sending() {
    return sending;
  }
}
