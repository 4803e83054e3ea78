// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.tenant;

import org.sluice.api.Member;
import org.sluice.api.Tenant;

/** Whose an endpoint is, and what it weighs against its siblings. Immutable. */
public final class Membership {
  private final Tenant tenant;
  private final double weight;

  private Membership(Tenant tenant, double weight) {
    this.tenant = tenant;
    this.weight = weight;
  }

  /** That of an endpoint which a member of its tenant names. */
  static Membership of(Tenant tenant, Member member) {
    return new Membership(tenant, member.weight());
  }

  /** That of an endpoint which no member names. */
  static Membership unnamed(Tenant tenant) {
    return new Membership(tenant, Member.DEFAULT_WEIGHT);
  }

  public Tenant tenant() {
    return tenant;
  }

  /** Against the tenant's other endpoints, where they share; above 0. */
  public double weight() {
    return weight;
  }
}
