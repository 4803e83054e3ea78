// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import io.grpc.Status;
import java.util.Optional;

/** An agent said something that is not accepted; either that is left out, or the session ends. */
final class BadMessageException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient Status closing;

  private BadMessageException(String reason, Status closing) {
    // Agents may provoke many of these: a stack trace would cost, and say nothing.
    super(reason, null, false, false);
    this.closing = closing;
  }

  /** The message is left out, the session goes on. */
  static BadMessageException ignored(String reason) {
    return new BadMessageException(reason, null);
  }

  /** The session ends with this status, which tells the agent's operator what to do. */
  static BadMessageException fatal(Status status) {
    return new BadMessageException(status.getDescription(), status);
  }

  Optional<Status> closing() {
    return Optional.ofNullable(closing);
  }
}
