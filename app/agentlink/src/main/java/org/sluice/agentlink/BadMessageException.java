// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import io.grpc.Status;
import java.util.Optional;

/** A message of an agent is not accepted; either it is left out, or the session ends. */
final class BadMessageException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient Status closing;
  private final boolean overLimit;

  private BadMessageException(String reason, Status closing, boolean overLimit) {
    // Agents may provoke many of these: a stack trace would cost, and not help.
    super(reason, null, false, false);
    this.closing = closing;
    this.overLimit = overLimit;
  }

  /** The message is left out, the session continues. */
  static BadMessageException ignored(String reason) {
    return new BadMessageException(reason, null, false);
  }

  /** The session ends with this status, which gives the agent's operator the remedy. */
  static BadMessageException fatal(Status status) {
    return new BadMessageException(status.getDescription(), status, false);
  }

  /** The message is left out, for its host exceeds one of its {@linkplain HostLimits limits}. */
  static BadMessageException overLimit(String reason) {
    return new BadMessageException(reason, null, true);
  }

  /** The same for a message without which there is no session. */
  BadMessageException ending() {
    return new BadMessageException(
        getMessage(), Status.RESOURCE_EXHAUSTED.withDescription(getMessage()), true);
  }

  boolean isOverLimit() {
    return overLimit;
  }

  Optional<Status> closing() {
    return Optional.ofNullable(closing);
  }
}
