// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.queue;

/** What an endpoint may send by all its classes together. */
final class EndpointCeiling {
  private final ClassQueueParameters parameters;
  private final TokenBucket bucket;
  private boolean limiting;

  EndpointCeiling(ClassQueueParameters parameters) {
    this.parameters = parameters;
    long nic = parameters.nicBitsPerSecond();
    this.bucket = new TokenBucket(nic, parameters.depthBytes(nic));
  }

  void set(long bitsPerSecond, long nowNanos) {
    limiting = bitsPerSecond < parameters.nicBitsPerSecond();
    bucket.change(bitsPerSecond, parameters.depthBytes(bitsPerSecond), nowNanos);
  }

  /** Null where the NIC's own rate is all that limits. */
  TokenBucket bucket() {
    return limiting ? bucket : null;
  }
}
