// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.tenant;

/** Who wants tenants changed, and what that may entail. Immutable. */
final class Requester {
  /** Nobody who is known; addresses stay whose they are. */
  static final Requester NOBODY = new Requester("", false);

  /** A user's name, or what else requests it; may be empty. */
  final String author;

  /** Whether endpoints may lose addresses by it. */
  final boolean allowsRefusedAddresses;

  private Requester(String author, boolean allowsRefusedAddresses) {
    this.author = author;
    this.allowsRefusedAddresses = allowsRefusedAddresses;
  }

  Requester named(String other) {
    return new Requester(other, allowsRefusedAddresses);
  }

  Requester allowingRefusedAddresses() {
    return new Requester(author, true);
  }
}
