// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import java.util.Optional;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;

/** What part of a port may be promised to the flows of one owner together. Thread-safe. */
public interface PromiseParts {
  /** All of everything to everybody. */
  PromiseParts WHOLE =
      new PromiseParts() {
        @Override
        public Optional<?> ownerOf(IpAddress source) {
          return Optional.empty();
        }

        @Override
        public double part(Object owner, PortId port, double payloadBytesPerSecond) {
          return 1;
        }

        @Override
        public double unusedBytes(Object owner, long nowNanos) {
          return 0;
        }
      };

  /** Whose flows from an address are; empty: nobody's, and nothing but the port bounds them. */
  Optional<?> ownerOf(IpAddress source);

  /**
   * The part of a port for an owner, above 0 and at most 1.
   *
   * @param payloadBytesPerSecond what the port can carry
   */
  double part(Object owner, PortId port, double payloadBytesPerSecond);

  /** What an owner was promised lately and did not send, bytes. */
  double unusedBytes(Object owner, long nowNanos);
}
