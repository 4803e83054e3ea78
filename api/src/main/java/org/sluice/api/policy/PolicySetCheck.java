// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.policy;

import java.math.BigDecimal;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.sluice.api.HostId;
import org.sluice.api.MegabitRate;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;

/** Whether a policy set can be kept. Fields are named as in its JSON form. */
final class PolicySetCheck {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:-]{0,63}");
  private static final Pattern CONGESTION_CONTROL = Pattern.compile("[a-z0-9_]{1,15}");
  private static final long NANOS_PER_SECOND = 1_000_000_000L;
  private static final long MOST_RTO_MIN_NANOS = 120 * NANOS_PER_SECOND;
  private static final int MOST_WINDOW = 1000;
  private static final int MOST_LEAST_CYCLES = 1000;
  private static final long LEAST_PACING = 1_000_000L;
  private static final int NANO_DIGITS = 9;
  private static final int MILLI_DIGITS = 6;

  private final PolicySet set;
  private final Set<String> groups = new HashSet<>();

  private PolicySetCheck(PolicySet set) {
    this.set = set;
  }

  static void check(PolicySet set) throws SluiceException {
    PolicySetCheck check = new PolicySetCheck(set);
    requireName("name", set.name());
    check.cycle();
    check.constraints();
    check.groups();
    check.policies();
  }

  private void cycle() throws SluiceException {
    long cycle = set.cycleNanos();
    if (cycle < PolicySet.LEAST_CYCLE_NANOS || cycle > PolicySet.MOST_CYCLE_NANOS) {
      throw SluiceException.invalid(
          "cycleSeconds",
          decimal(cycle, NANO_DIGITS),
          "The oracle does not support such a cycle",
          "Use 1 to " + PolicySet.MOST_CYCLE_NANOS / NANOS_PER_SECOND);
    }
  }

  private void constraints() throws SluiceException {
    PolicyConstraints constraints = set.constraints();
    requireLimits("constraints", constraints.guard());
    requireRange(
        "constraints.mostInitialWindow", constraints.mostInitialWindowSegments(), 1, MOST_WINDOW);
    requireRtoMin("constraints.leastRtoMinMillis", constraints.leastRtoMinNanos());
    for (int i = 0; i < constraints.congestionControls().size(); i++) {
      requireCongestionControl(
          "constraints.congestionControls[" + i + "]", constraints.congestionControls().get(i));
    }
  }

  private void groups() throws SluiceException {
    if (set.groups().size() > PolicySet.MOST_GROUPS) {
      throw SluiceException.invalid(
          "groups",
          set.groups().size(),
          "There are too many groups",
          "Use at most " + PolicySet.MOST_GROUPS);
    }
    Map<HostId, String> members = new HashMap<>();
    for (int i = 0; i < set.groups().size(); i++) {
      HostGroup group = set.groups().get(i);
      String path = "groups[" + i + "]";
      requireName(path + ".name", group.name());
      if (!groups.add(group.name())) {
        throw SluiceException.invalid(
            path + ".name", group.name(), "There is another group of that name", "Use another");
      }
      if (group.hosts().isEmpty()) {
        throw SluiceException.invalid(
            path + ".hosts", "", "The group is empty", "Name a host, or leave the group out");
      }
      for (int j = 0; j < group.hosts().size(); j++) {
        HostId host = group.hosts().get(j);
        String other = members.put(host, group.name());
        if (other != null) {
          throw SluiceException.invalid(
              path + ".hosts[" + j + "]",
              host,
              "The host is in group " + other + " already",
              "Name every host once");
        }
      }
    }
  }

  private void policies() throws SluiceException {
    if (set.policies().size() > PolicySet.MOST_POLICIES) {
      throw SluiceException.invalid(
          "policies",
          set.policies().size(),
          "There are too many policies",
          "Use at most " + PolicySet.MOST_POLICIES);
    }
    Set<String> names = new HashSet<>();
    for (int i = 0; i < set.policies().size(); i++) {
      Policy policy = set.policies().get(i);
      String path = "policies[" + i + "]";
      requireName(path + ".name", policy.name());
      if (!names.add(policy.name())) {
        throw SluiceException.invalid(
            path + ".name", policy.name(), "There is another policy of that name", "Use another");
      }
      policy(policy, path);
    }
  }

  private void policy(Policy policy, String path) throws SluiceException {
    requireGroups(path + ".from", policy.sources());
    requireGroups(path + ".to", policy.destinations());
    if (policy.scope() == Policy.Scope.ALL && !policy.sources().isEmpty()) {
      throw SluiceException.invalid(
          path + ".from",
          String.join(", ", policy.sources()),
          "A policy for all is for every group",
          "Leave from out, or use \"for\": \"groups\"");
    }
    if (policy.scope() != Policy.Scope.PAIRS && !policy.destinations().isEmpty()) {
      throw SluiceException.invalid(
          path + ".to",
          String.join(", ", policy.destinations()),
          "Only pairs have a destination",
          "Leave to out, or use \"for\": \"pairs\"");
    }
    requireLimits(path + ".enterBelow", policy.enterBelow());
    requireLimits(path + ".leaveAt", policy.leaveAt());
    requireAbove(
        path + ".leaveAt.utilisationPercent",
        policy.leaveAt().utilisation(),
        policy.enterBelow().utilisation());
    requireAbove(
        path + ".leaveAt.dropPercent", policy.leaveAt().dropRate(), policy.enterBelow().dropRate());
    requireRange(path + ".leastCycles", policy.leastCycles(), 1, MOST_LEAST_CYCLES);
    hint(policy.hint(), path + ".hints");
  }

  private void hint(TcpHint hint, String path) throws SluiceException {
    if (hint.isEmpty()) {
      throw SluiceException.invalid(
          path, "", "The policy gives no hint", "Give initialWindow, rtoMinMillis or the like");
    }
    PolicyConstraints constraints = set.constraints();
    if (hint.initialWindowSegments() != 0) {
      String field = path + ".initialWindow";
      requireRange(field, hint.initialWindowSegments(), 1, MOST_WINDOW);
      if (hint.initialWindowSegments() > constraints.mostInitialWindowSegments()) {
        throw SluiceException.invalid(
            field,
            hint.initialWindowSegments(),
            "This is more than the set's constraints allow",
            "Use at most "
                + constraints.mostInitialWindowSegments()
                + ", or raise constraints.mostInitialWindow");
      }
    }
    if (hint.rtoMinNanos() != 0) {
      String field = path + ".rtoMinMillis";
      requireRtoMin(field, hint.rtoMinNanos());
      if (hint.rtoMinNanos() < constraints.leastRtoMinNanos()) {
        throw SluiceException.invalid(
            field,
            millis(hint.rtoMinNanos()),
            "This is less than the set's constraints allow",
            "Use at least "
                + millis(constraints.leastRtoMinNanos())
                + ", or lower constraints.leastRtoMinMillis");
      }
    }
    congestionControl(hint.congestionControl(), path + ".congestionControl");
    long pacing = hint.pacingBitsPerSecond();
    if (pacing != 0 && (pacing < LEAST_PACING || pacing > Tenant.MAX_RATE_BITS_PER_SECOND)) {
      throw SluiceException.invalid(
          path + ".pacingBitsPerSecond",
          pacing,
          "A rate must lie within bounds",
          "Use "
              + MegabitRate.inBoth(LEAST_PACING)
              + " to "
              + MegabitRate.inBoth(Tenant.MAX_RATE_BITS_PER_SECOND)
              + ", or leave it out");
    }
  }

  private void congestionControl(String name, String field) throws SluiceException {
    if (name.isEmpty()) {
      return;
    }
    requireCongestionControl(field, name);
    List<String> allowed = set.constraints().congestionControls();
    if (!allowed.isEmpty() && !allowed.contains(name)) {
      throw SluiceException.invalid(
          field,
          name,
          "The set's constraints do not allow it",
          "Use one of " + String.join(", ", allowed));
    }
  }

  private void requireGroups(String path, List<String> names) throws SluiceException {
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < names.size(); i++) {
      String field = path + "[" + i + "]";
      requireName(field, names.get(i));
      if (!seen.add(names.get(i))) {
        throw SluiceException.invalid(
            field, names.get(i), "The group was named before", "Name every group once");
      }
      if (!groups.isEmpty() && !groups.contains(names.get(i))) {
        throw SluiceException.invalid(
            field,
            names.get(i),
            "There is no such group",
            "Use a name of groups, such as " + set.groups().get(0).name());
      }
    }
  }

  private static void requireName(String field, String name) throws SluiceException {
    if (!NAME.matcher(name).matches()) {
      throw SluiceException.invalid(
          field,
          name,
          "This is not a valid name",
          "Use up to 64 letters, digits, '.', '_', ':' or '-', a letter or digit first");
    }
  }

  private static void requireCongestionControl(String field, String name) throws SluiceException {
    if (!CONGESTION_CONTROL.matcher(name).matches()) {
      throw SluiceException.invalid(
          field, name, "Linux accepts no such name", "Use a name such as cubic or dctcp");
    }
  }

  private static void requireLimits(String path, Limits limits) throws SluiceException {
    requireFraction(path + ".utilisationPercent", limits.utilisation());
    requireFraction(path + ".dropPercent", limits.dropRate());
  }

  private static void requireFraction(String field, double value) throws SluiceException {
    if (value != Limits.NO_LIMIT && !(value > 0 && value <= 1)) {
      throw SluiceException.invalid(
          field,
          value * 100,
          "This percentage cannot be reached",
          "Use more than 0, at most 100, or leave it out for no limit");
    }
  }

  private static void requireAbove(String field, double leave, double enter)
      throws SluiceException {
    if (leave < enter) {
      throw SluiceException.invalid(
          field,
          leave == Limits.NO_LIMIT ? "" : leave * 100,
          "Hints would end where they begin",
          "Use at least enterBelow's");
    }
  }

  private static void requireRange(String field, int value, int least, int most)
      throws SluiceException {
    if (value < least || value > most) {
      throw SluiceException.invalid(
          field, value, "This is out of range", "Use " + least + " to " + most);
    }
  }

  private static void requireRtoMin(String field, long nanos) throws SluiceException {
    if (nanos < 1 || nanos > MOST_RTO_MIN_NANOS) {
      throw SluiceException.invalid(
          field,
          millis(nanos),
          "This is out of range",
          "Use more than 0, at most " + MOST_RTO_MIN_NANOS / NANOS_PER_SECOND * 1000);
    }
  }

  private static String millis(long nanos) {
    return decimal(nanos, MILLI_DIGITS);
  }

  private static String decimal(long value, int digits) {
    return BigDecimal.valueOf(value, digits).stripTrailingZeros().toPlainString();
  }
}
