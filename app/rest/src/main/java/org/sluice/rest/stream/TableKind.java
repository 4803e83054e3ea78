// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest.stream;

import java.util.Map;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Function;
import org.sluice.api.Endpoint;
import org.sluice.api.PortStatus;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.access.Caller;
import org.sluice.api.counters.CounterSource;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.json.EndpointDto;
import org.sluice.json.FlowDto;
import org.sluice.json.PortDto;
import org.sluice.json.TenantDto;

/** How rows of a table are written, whose they are, and which changes count. */
final class TableKind<T> {
  /** Sent as a whole: pages show them as a list. */
  static final TableKind<Tenant> TENANTS =
      new TableKind<>("tenants", true, TenantDto::new, Tenant::id, Tenant::equals);

  static final TableKind<Map.Entry<PortStatus, CounterSource>> PORTS =
      new TableKind<>(
          "ports",
          false,
          row -> new PortDto(row.getKey(), row.getValue()),
          null,
          Map.Entry::equals);

  static final TableKind<Endpoint> ENDPOINTS =
      new TableKind<>("endpoints", false, EndpointDto::new, Endpoint::tenant, Endpoint::equals);

  /** The time that is left is always another one: whoever has the deadline can count it down. */
  static final TableKind<FlowStatus> FLOWS =
      new TableKind<>(
          "flows",
          false,
          FlowDto::new,
          FlowStatus::tenant,
          (before, now) -> before.toBuilder().dueInNanos(now.dueInNanos()).build().equals(now));

  private final String event;
  private final boolean whole;
  private final Function<T, Object> form;

  /** Null: they are the network's. */
  private final Function<T, TenantId> owner;

  private final BiPredicate<T, T> same;

  private TableKind(
      String event,
      boolean whole,
      Function<T, Object> form,
      Function<T, TenantId> owner,
      BiPredicate<T, T> same) {
    this.event = event;
    this.whole = whole;
    this.form = form;
    this.owner = owner;
    this.same = same;
  }

  /** The name of its events. */
  String event() {
    return event;
  }

  /** Whether all rows are sent whenever one is another one. */
  boolean isWhole() {
    return whole;
  }

  /** What a row is in JSON. */
  Object form(T row) {
    return form.apply(row);
  }

  /** The tenant whose a row is; empty: the network's. */
  Optional<TenantId> owner(T row) {
    return Optional.ofNullable(owner).map(by -> by.apply(row));
  }

  /** Whether a user sees rows of this kind at all. */
  boolean isFor(Caller caller) {
    return caller.seesAll() || owner != null;
  }

  /** Whether a row has nothing new beside an earlier one. */
  boolean isSame(T before, T now) {
    return same.test(before, now);
  }
}
