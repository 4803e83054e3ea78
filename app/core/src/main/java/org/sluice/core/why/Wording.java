// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.why;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.sluice.api.IpAddress;
import org.sluice.api.MegabitRate;
import org.sluice.api.Tenant;
import org.sluice.api.why.Explanation;
import org.sluice.api.why.Explanation.Cause;
import org.sluice.api.why.PortReason;
import org.sluice.api.why.PortUserStatus;

/** Words an explanation, for operators who have not read the papers. */
final class Wording {
  private static final MathContext DIGITS = new MathContext(3);

  /** A smaller difference between what is due by floor and by weight is rounding. */
  private static final double NOTICEABLE = 0.005;

  /** Most who are named in a sentence. */
  private static final int MOST_NAMED = 4;

  private final Explanation what;
  private final Optional<Tenant> tenant;
  private final Map<IpAddress, String> refusedIps;
  private final boolean namesOthers;

  /**
   * Words for an explanation.
   *
   * @param refusedIps addresses that the endpoint does not get, each with the reason
   * @param namesOthers whether reasons are shown, which name other endpoints and tenants
   */
  Wording(
      Explanation what,
      Optional<Tenant> tenant,
      Map<IpAddress, String> refusedIps,
      boolean namesOthers) {
    this.namesOthers = namesOthers;
    this.what = what;
    this.tenant = tenant;
    this.refusedIps = refusedIps;
  }

  Explanation worded() {
    return what.toBuilder().summary(summary()).lines(lines()).build();
  }

  private String subject() {
    return what.endpoint() + " of tenant " + what.tenant();
  }

  private String summary() {
    String gets = rate(what.deliveredBitsPerSecond());
    String limit = rate(what.limitBitsPerSecond());
    switch (what.cause()) {
      case PORT:
        return String.format(
            "%s is held to %s by %s, and gets %s through.",
            subject(), limit, place(what.ports().get(0)), gets);
      case CEILING:
        return String.format(
            "%s is held to %s, its part of its tenant's ceiling, and gets %s through.",
            subject(), limit, gets);
      case UPLINK:
        return String.format(
            "%s is held to %s, its part of its host's NIC, and gets %s through.",
            subject(), limit, gets);
      case NOT_ENFORCED:
        return String.format(
            "%s is not held back: its host enforces no limits. %s get through.", subject(), gets);
      case REFUSED_ADDRESS:
        return String.format(
            "%s is cut off: it does not get %s %s. %s get through.",
            subject(),
            refusedIps.size() == 1 ? "its address" : "its addresses",
            refusedIps.keySet().stream().map(IpAddress::toString).collect(Collectors.joining(", ")),
            gets);
      case NOT_REPORTED:
        return String.format(
            "The limits of %s are unknown: its host's agent is not connected.", subject());
      default:
        return String.format(
            "%s is not held back: it sends %s and may send %s.", subject(), gets, limit);
    }
  }

  private static String place(PortReason reason) {
    return isReceiver(reason)
        ? "what " + receiver(reason) + " may receive"
        : "its part of port " + reason.port().label();
  }

  /** Whether the port is a receive ceiling, which has a port of its own. */
  private static boolean isReceiver(PortReason reason) {
    return reason.port().id().isReceiver();
  }

  private static String receiver(PortReason reason) {
    return reason.port().id().toString().substring("host:".length());
  }

  private List<String> lines() {
    List<String> lines = new ArrayList<>();
    refusedIps.forEach(
        (ip, reason) ->
            lines.add(
                String.format(
                    "%s is refused%s. Its host drops what it sends from there.",
                    ip, namesOthers ? ": " + reason : "")));
    for (PortReason reason : what.ports()) {
      evidence(reason, lines);
      share(reason, lines);
      others(reason, lines);
      change(reason, lines);
    }
    if (what.cause() == Cause.CEILING) {
      tenant.ifPresent(
          its ->
              lines.add(
                  String.format(
                      "Tenant %s has a ceiling of %s for all that its endpoints send together."
                          + " A higher one, or none, would lift this limit.",
                      its.id(), rate(its.ceilingBitsPerSecond()))));
    }
    if (what.cause() == Cause.UPLINK) {
      lines.add(
          "The host divides its NIC among endpoints that send, by tenants' weights and"
              + " guarantees. A greater weight would give it more where the others demand it too.");
    }
    if (what.cause() == Cause.NOT_ENFORCED) {
      lines.add("Enforcement is switched off, or its agent does not enforce it yet.");
    }
    return lines;
  }

  private void evidence(PortReason reason, List<String> lines) {
    String source =
        reason.port().marksFrom().map(from -> ", counted by " + from.counter()).orElse("");
    String path = reason.port().estimated() ? " Which path the packets take is estimated." : "";
    lines.add(
        String.format(
            Locale.ROOT,
            "%s carries %s%s; of its packets in the last control period %s %% were marked%s.%s",
            isReceiver(reason) ? "Receiver " + receiver(reason) : "Port " + reason.port().label(),
            load(reason),
            rate(reason.port().capacityBitsPerSecond()),
            digits(100 * reason.port().ceShare()),
            source,
            path));
  }

  private static String load(PortReason reason) {
    return reason.loadBitsPerSecond().isPresent()
        ? rate(reason.loadBitsPerSecond().getAsLong()) + " of "
        : "at most ";
  }

  private void share(PortReason reason, List<String> lines) {
    String limit =
        reason
            .limitBitsPerSecond()
            .map(rate -> "Its host lets it send " + rate(rate) + " there; ")
            .orElse("Its host has not reported a limit there; ");
    String due = reason.dueBitsPerSecond().map(rate -> ". " + due(reason, rate)).orElse("");
    lines.add(limit + rate(reason.deliveredBitsPerSecond()) + " get through" + due + ".");
    if (reason.port().scaledTenants().contains(what.tenant())) {
      lines.add(
          String.format(
              "Its floor there is broken: guarantees and promised deadlines of those who are active"
                  + " come to more than 90 %% of the port, and each has %s of its own.",
              digits(reason.port().floorScale())));
    }
  }

  private String due(PortReason reason, long due) {
    long byWeight = reason.dueByWeightBitsPerSecond().orElse(due);
    boolean isFloor = byWeight < due * (1 - NOTICEABLE);
    return String.format(
        "%s it is due %s%s if its demand is at least that",
        isFloor ? floor() : "By weight",
        rate(due),
        isFloor ? " (by weight " + rate(byWeight) + ")" : "");
  }

  /** What gives it more than its weight does. */
  private String floor() {
    return tenant.filter(its -> its.guaranteeBitsPerSecond() > 0).isPresent()
        ? "By guarantee"
        : "By promised deadlines";
  }

  private static void others(PortReason reason, List<String> lines) {
    boolean isWhole = reason.furtherUsers().isPresent();
    if (reason.users().isEmpty() && reason.furtherUsers().orElse(0) == 0) {
      lines.add(
          isWhole
              ? "No other endpoint sends there."
              : "No other endpoint of this user's sends there.");
      return;
    }
    String named =
        reason.users().stream()
            .limit(MOST_NAMED)
            .map(Wording::user)
            .collect(Collectors.joining(", "));
    int further = reason.furtherUsers().orElse(0) + Math.max(0, reason.users().size() - MOST_NAMED);
    long furtherRate =
        reason.furtherBitsPerSecond().orElse(0)
            + reason.users().stream()
                .skip(MOST_NAMED)
                .mapToLong(PortUserStatus::deliveredBitsPerSecond)
                .sum();
    String rest = further == 0 ? "" : further + " more with " + rate(furtherRate) + " together";
    lines.add(
        "Beside it: " + named + (named.isEmpty() || rest.isEmpty() ? "" : ", and ") + rest + ".");
  }

  private static String user(PortUserStatus user) {
    return String.format(
        "%s of %s (weight %s) with %s",
        user.endpoint(),
        user.tenant(),
        digits(user.tenantWeight()),
        rate(user.deliveredBitsPerSecond()));
  }

  private void change(PortReason reason, List<String> lines) {
    if (reason.binding() && reason.dueOfTwiceTheWeightBitsPerSecond().isPresent()) {
      lines.add(
          String.format(
              "With weight %s instead of %s for tenant %s: about %s there.",
              digits(2 * what.tenantWeight()),
              digits(what.tenantWeight()),
              what.tenant(),
              rate(reason.dueOfTwiceTheWeightBitsPerSecond().get())));
    }
  }

  static String rate(long bitsPerSecond) {
    return MegabitRate.measured(bitsPerSecond);
  }

  private static String digits(double value) {
    BigDecimal rounded = BigDecimal.valueOf(value).round(DIGITS);
    return (rounded.signum() == 0 ? BigDecimal.ZERO : rounded.stripTrailingZeros()).toPlainString();
  }
}
