// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import com.google.auto.value.AutoValue;
import java.math.BigDecimal;
import java.util.Optional;

/**
 * Says which endpoints belong to a tenant: by address range, by Ethernet address, or by the very
 * interface. Of several memberships that match an endpoint the most specific wins: interface before
 * MAC before the longer prefix. Two that differ in weight alone name the same endpoints.
 */
@AutoValue
public abstract class Member {
  /** The weight of an endpoint whose membership gives none. */
  public static final double DEFAULT_WEIGHT = 1;

  /** What stands between a name and a weight in text. */
  public static final char WEIGHT_MARK = '=';

  public static Member ofPrefix(IpPrefix prefix) {
    return new AutoValue_Member(
        Optional.of(prefix), Optional.empty(), Optional.empty(), DEFAULT_WEIGHT);
  }

  public static Member ofMac(MacAddress mac) {
    return new AutoValue_Member(
        Optional.empty(), Optional.of(mac), Optional.empty(), DEFAULT_WEIGHT);
  }

  public static Member ofEndpoint(EndpointId endpoint) {
    return new AutoValue_Member(
        Optional.empty(), Optional.empty(), Optional.of(endpoint), DEFAULT_WEIGHT);
  }

  public abstract Optional<IpPrefix> ipPrefix();

  public abstract Optional<MacAddress> mac();

  public abstract Optional<EndpointId> endpoint();

  /**
   * What each endpoint that this names weighs against the other endpoints of its tenant where they
   * share ({@code share = tenant}); {@link Tenant#MIN_WEIGHT} to {@link Tenant#MAX_WEIGHT}. It
   * counts for nothing with {@code share = endpoint}.
   */
  public abstract double weight();

  /**
   * The same endpoints with another weight.
   *
   * @throws SluiceException of kind INVALID on {@code weight} if it is out of range
   */
  public Member withWeight(double weight) throws SluiceException {
    if (!(weight >= Tenant.MIN_WEIGHT && weight <= Tenant.MAX_WEIGHT)) {
      throw SluiceException.invalid(
          "weight",
          weight,
          "A member's weight must lie within bounds",
          "Use a number from " + Tenant.MIN_WEIGHT + " to " + Tenant.MAX_WEIGHT);
    }
    return new AutoValue_Member(ipPrefix(), mac(), endpoint(), weight);
  }

  /** Whether both name the same endpoints, whatever these weigh. */
  public boolean namesSameAs(Member other) {
    return unweighted().equals(other.unweighted());
  }

  /** The same endpoints with {@link #DEFAULT_WEIGHT}: which they are and nothing else. */
  public Member unweighted() {
    return new AutoValue_Member(ipPrefix(), mac(), endpoint(), DEFAULT_WEIGHT);
  }

  /**
   * As commands take it: {@code 10.1.0.0/16}, {@code 02:00:00:00:01:01}, {@code h1/vm0}; with
   * {@code =2} behind it if the weight is not {@link #DEFAULT_WEIGHT}, or if the name could be
   * mistaken for one with a weight.
   */
  @Override
  public final String toString() {
    String name =
        endpoint().isPresent()
            ? endpoint().get().toString()
            : mac().isPresent() ? mac().get().toString() : ipPrefix().orElseThrow().toString();
    boolean isPlain = weight() == DEFAULT_WEIGHT && name.indexOf(WEIGHT_MARK) < 0;
    return isPlain
        ? name
        : name + WEIGHT_MARK + BigDecimal.valueOf(weight()).stripTrailingZeros().toPlainString();
  }

  /** How exactly this names an endpoint: the greater wins. */
  public int specificity() {
    if (endpoint().isPresent()) {
      return 1000;
    }
    return mac().isPresent() ? 500 : ipPrefix().orElseThrow().length();
  }

  /** Whether this membership covers an endpoint with these properties. */
  public boolean covers(EndpointId id, MacAddress itsMac, Iterable<IpAddress> itsIps) {
    if (endpoint().isPresent()) {
      return endpoint().get().equals(id);
    }
    if (mac().isPresent()) {
      return mac().get().equals(itsMac);
    }
    IpPrefix prefix = ipPrefix().orElseThrow();
    for (IpAddress ip : itsIps) {
      if (prefix.contains(ip)) {
        return true;
      }
    }
    return false;
  }
}
