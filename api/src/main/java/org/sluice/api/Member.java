// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import com.google.auto.value.AutoValue;
import java.math.BigDecimal;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Says which endpoints belong to a tenant: by the very interface, by Ethernet address, by what its
 * host knows of it, or by address range. Of several memberships that match an endpoint the most
 * specific wins: interface before MAC before metadata before the longer prefix. Among metadata the
 * libvirt domain counts most, then the Kubernetes namespace, labels, network, VLAN, bridge: who
 * names more of what counts more wins, at last who names more labels. Two that differ in weight
 * alone name the same endpoints.
 */
@AutoValue
public abstract class Member {
  /** The weight of an endpoint whose membership gives none. */
  public static final double DEFAULT_WEIGHT = 1;

  /** What stands between a name and a weight in text. */
  public static final char WEIGHT_MARK = '=';

  /** The words that metadata is written in. */
  private static final List<String> KINDS =
      List.of("domain", "namespace", "label", "network", "bridge", "vlan");

  public static Member ofPrefix(IpPrefix prefix) {
    return new AutoValue_Member(
        Optional.of(prefix), Optional.empty(), Optional.empty(), Optional.empty(), DEFAULT_WEIGHT);
  }

  public static Member ofMac(MacAddress mac) {
    return new AutoValue_Member(
        Optional.empty(), Optional.of(mac), Optional.empty(), Optional.empty(), DEFAULT_WEIGHT);
  }

  public static Member ofEndpoint(EndpointId endpoint) {
    return new AutoValue_Member(
        Optional.empty(),
        Optional.empty(),
        Optional.of(endpoint),
        Optional.empty(),
        DEFAULT_WEIGHT);
  }

  /**
   * Endpoints of which their hosts know all of this, and perhaps more.
   *
   * @throws IllegalArgumentException if it names nothing but a pod or nothing
   */
  public static Member ofMetadata(EndpointMetadata metadata) {
    if (metadata.pod().isPresent() || ranks(metadata) == 0) {
      throw new IllegalArgumentException(
          "a member by metadata names a bridge, VLAN, domain, network, namespace or labels, and no"
              + " pod");
    }
    return new AutoValue_Member(
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.of(metadata),
        DEFAULT_WEIGHT);
  }

  public abstract Optional<IpPrefix> ipPrefix();

  public abstract Optional<MacAddress> mac();

  public abstract Optional<EndpointId> endpoint();

  public abstract Optional<EndpointMetadata> metadata();

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
    return new AutoValue_Member(ipPrefix(), mac(), endpoint(), metadata(), weight);
  }

  /** Whether both name the same endpoints, whatever these weigh. */
  public boolean namesSameAs(Member other) {
    return unweighted().equals(other.unweighted());
  }

  /** The same endpoints with {@link #DEFAULT_WEIGHT}: which they are and nothing else. */
  public Member unweighted() {
    return new AutoValue_Member(ipPrefix(), mac(), endpoint(), metadata(), DEFAULT_WEIGHT);
  }

  /**
   * As commands take it: {@code 10.1.0.0/16}, {@code 02:00:00:00:01:01}, {@code h1/vm0}, {@code
   * namespace:shop+label:app:web}; with {@code =2} behind it if the weight is not {@link
   * #DEFAULT_WEIGHT}, or if the name could be mistaken for one with a weight.
   */
  @Override
  public final String toString() {
    String name = name();
    boolean isPlain = weight() == DEFAULT_WEIGHT && name.indexOf(WEIGHT_MARK) < 0;
    return isPlain
        ? name
        : name + WEIGHT_MARK + BigDecimal.valueOf(weight()).stripTrailingZeros().toPlainString();
  }

  private String name() {
    if (metadata().isPresent()) {
      return String.join("+", metadata().get().words());
    }
    return endpoint().isPresent()
        ? endpoint().get().toString()
        : mac().isPresent() ? mac().get().toString() : ipPrefix().orElseThrow().toString();
  }

  /**
   * Reads metadata as {@link #toString} writes it.
   *
   * @return empty if the text is of another kind
   * @throws SluiceException of kind INVALID naming the word at fault
   */
  public static Optional<Member> parseMetadata(String text) throws SluiceException {
    EndpointMetadata.Builder asked = EndpointMetadata.builder();
    Map<String, String> labels = new TreeMap<>();
    Set<String> kinds = new HashSet<>();
    for (String word : text.split("\\+", -1)) {
      String[] parts = word.split(":", 2);
      if (!KINDS.contains(parts[0]) || parts.length < 2) {
        if (kinds.isEmpty()) {
          return Optional.empty();
        }
        throw SluiceException.invalid(
            "",
            word,
            "This is no property of an interface",
            "Use " + String.join(":, ", KINDS) + ":, with '+' between them");
      }
      boolean isNew = kinds.add(parts[0]) || parts[0].equals("label");
      switch (parts[0]) {
        case "domain":
          asked.domain(Optional.of(parts[1]));
          break;
        case "namespace":
          asked.namespace(Optional.of(parts[1]));
          break;
        case "network":
          asked.network(Optional.of(parts[1]));
          break;
        case "bridge":
          asked.bridge(Optional.of(parts[1]));
          break;
        case "vlan":
          asked.vlan(Optional.of(vlan(parts[1])));
          break;
        default:
          int colon = parts[1].lastIndexOf(':');
          isNew =
              labels.put(parts[1].substring(0, Math.max(colon, 0)), parts[1].substring(colon + 1))
                  == null;
      }
      if (!isNew) {
        throw SluiceException.invalid("", word, "This was given before", "Give it once");
      }
    }
    return Optional.of(ofMetadata(asked.labels(labels).checked("")));
  }

  private static int vlan(String text) throws SluiceException {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw SluiceException.invalid("vlan", text, "This is no VLAN", "Use a number such as 100");
    }
  }

  /** How exactly this names an endpoint: the greater wins. */
  public int specificity() {
    if (endpoint().isPresent()) {
      return 1_000_000;
    }
    if (mac().isPresent()) {
      return 500_000;
    }
    return metadata().isPresent()
        ? 1000 * ranks(metadata().get()) + metadata().get().labels().size()
        : ipPrefix().orElseThrow().length();
  }

  /** What of it is named: what counts more is the greater power of two. */
  private static int ranks(EndpointMetadata asked) {
    return (asked.domain().isPresent() ? 32 : 0)
        + (asked.namespace().isPresent() ? 16 : 0)
        + (asked.labels().isEmpty() ? 0 : 8)
        + (asked.network().isPresent() ? 4 : 0)
        + (asked.vlan().isPresent() ? 2 : 0)
        + (asked.bridge().isPresent() ? 1 : 0);
  }

  /** Whether this membership covers an endpoint with these properties. */
  public boolean covers(
      EndpointId id, MacAddress itsMac, Iterable<IpAddress> itsIps, EndpointMetadata its) {
    if (endpoint().isPresent()) {
      return endpoint().get().equals(id);
    }
    if (mac().isPresent()) {
      return mac().get().equals(itsMac);
    }
    if (metadata().isPresent()) {
      return metadata().get().isIn(its);
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
