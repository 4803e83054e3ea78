// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.tenant;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.sluice.api.JournalEntry;
import org.sluice.api.MegabitRate;
import org.sluice.api.Member;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.core.journal.JournalWriter;

/** Writes into the journal who changed what of a tenant. */
final class TenantJournal {
  /** Most members that are named; the others are counted. */
  private static final int MOST_NAMED = 5;

  private TenantJournal() {}

  /**
   * A tenant is not what it was.
   *
   * @param before empty if there was none
   * @param author who requested it; empty if unknown
   */
  static void changed(
      JournalWriter journal, Optional<Tenant> before, Tenant tenant, String author) {
    String done = before.isEmpty() ? " created: " : " changed: ";
    write(journal, tenant.id(), done + properties(before, tenant), author);
  }

  static void removed(JournalWriter journal, TenantId id, String author) {
    write(journal, id, " removed", author);
  }

  private static void write(JournalWriter journal, TenantId id, String done, String author) {
    journal.write(
        JournalEntry.Kind.TENANT,
        Optional.of(id),
        Optional.empty(),
        "Tenant " + id + done,
        author.isEmpty() ? "requested" : "requested by " + author);
  }

  /** All of a new one; of a changed one what is different, and what it was. */
  private static String properties(Optional<Tenant> before, Tenant now) {
    List<String> found = new ArrayList<>();
    add(found, "weight", before, now, Tenant::weight, TenantJournal::plain);
    add(found, "guarantee", before, now, Tenant::guaranteeBitsPerSecond, MegabitRate::textOrNone);
    add(found, "ceiling", before, now, Tenant::ceilingBitsPerSecond, MegabitRate::textOrNone);
    add(
        found,
        "receive ceiling",
        before,
        now,
        Tenant::receiveCeilingBitsPerSecond,
        MegabitRate::textOrNone);
    add(found, "ECN", before, now, Tenant::preserveEcn, kept -> kept ? "preserve" : "clear");
    add(found, "members", before, now, Tenant::members, TenantJournal::members);
    return String.join(", ", found);
  }

  private static <T> void add(
      List<String> found,
      String name,
      Optional<Tenant> before,
      Tenant now,
      Function<Tenant, T> property,
      Function<T, String> text) {
    T present = property.apply(now);
    Optional<T> past = before.map(property);
    if (past.isEmpty()) {
      found.add(name + " " + text.apply(present));
    } else if (!past.get().equals(present)) {
      found.add(name + " " + text.apply(present) + " (was " + text.apply(past.get()) + ")");
    }
  }

  private static String plain(Double weight) {
    return BigDecimal.valueOf(weight).stripTrailingZeros().toPlainString();
  }

  private static String members(Collection<Member> all) {
    if (all.isEmpty()) {
      return "none";
    }
    String named =
        all.stream().limit(MOST_NAMED).map(Member::toString).collect(Collectors.joining(" "));
    int further = all.size() - MOST_NAMED;
    return further > 0 ? named + " and " + further + " more" : named;
  }
}
