// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import com.google.auto.value.AutoValue;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/** Which entries of the journal are requested: those that all of it holds for. */
@AutoValue
public abstract class JournalQuery {
  /** All, the newest {@value JournalService#CAPACITY} of them. */
  public static Builder builder() {
    return new AutoValue_JournalQuery.Builder()
        .afterSequence(-1)
        .beforeSequence(Long.MAX_VALUE)
        .kinds(Set.of())
        .limit(JournalService.CAPACITY);
  }

  /** Only entries with a greater sequence; -1 for all. */
  public abstract long afterSequence();

  /** Only entries with a smaller sequence: the last of a page leads to the next one. */
  public abstract long beforeSequence();

  /** Only entries about this port. */
  public abstract Optional<PortId> port();

  /** Only entries about this endpoint. */
  public abstract Optional<EndpointId> endpoint();

  /** Only entries about this tenant. */
  public abstract Optional<TenantId> tenant();

  /** Only what this law decided; empty text: what no law did. */
  public abstract Optional<String> law();

  /** Only entries of these kinds; empty: of all. */
  public abstract Set<JournalEntry.Kind> kinds();

  /** Only entries of this time or later. */
  public abstract Optional<Instant> since();

  /** Only entries before this time. */
  public abstract Optional<Instant> until();

  /** At most so many, the newest; 1 to {@value JournalService#CAPACITY}. */
  public abstract int limit();

  public abstract Builder toBuilder();

  /** Whether an entry is requested. */
  public final boolean matches(JournalEntry entry) {
    return entry.sequence() > afterSequence()
        && entry.sequence() < beforeSequence()
        && (kinds().isEmpty() || kinds().contains(entry.kind()))
        && agrees(port(), entry.port())
        && agrees(endpoint(), entry.endpoint())
        && agrees(tenant(), entry.tenant())
        && agrees(law(), Optional.of(entry.law()))
        && since().map(from -> !entry.time().isBefore(from)).orElse(true)
        && until().map(to -> entry.time().isBefore(to)).orElse(true);
  }

  private static <T> boolean agrees(Optional<T> asked, Optional<T> is) {
    return asked.isEmpty() || asked.equals(is);
  }

  /** Builds a query. */
  @AutoValue.Builder
  public abstract static class Builder {
    public abstract Builder afterSequence(long sequence);

    public abstract Builder beforeSequence(long sequence);

    public abstract Builder port(PortId port);

    public abstract Builder port(Optional<PortId> port);

    public abstract Builder endpoint(Optional<EndpointId> endpoint);

    public abstract Builder tenant(Optional<TenantId> tenant);

    public abstract Builder law(Optional<String> law);

    public abstract Builder kinds(Set<JournalEntry.Kind> kinds);

    public abstract Builder since(Optional<Instant> time);

    public abstract Builder until(Optional<Instant> time);

    public abstract Builder limit(int entries);

    abstract JournalQuery autoBuild();

    /**
     * Builds it.
     *
     * @throws IllegalArgumentException if the limit is out of range
     */
    public final JournalQuery build() {
      JournalQuery query = autoBuild();
      if (query.limit() < 1 || query.limit() > JournalService.CAPACITY) {
        throw new IllegalArgumentException(
            "limit must lie between 1 and " + JournalService.CAPACITY + ", not " + query.limit());
      }
      return query;
    }
  }
}
