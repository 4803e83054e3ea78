// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.tenant;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.EndpointId;
import org.sluice.api.Expectation;
import org.sluice.api.HostDirectory;
import org.sluice.api.IpAddress;
import org.sluice.api.JournalEntry;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantAdminService;
import org.sluice.api.TenantId;
import org.sluice.api.TenantSetChange;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.core.journal.JournalWriter;
import org.sluice.core.registry.Capacities;
import org.sluice.core.registry.EndpointLocator;
import org.sluice.core.registry.ReportedEndpoints;
import org.sluice.core.setting.Parameters;
import org.sluice.core.setting.SettingListener;
import org.sluice.core.setting.SettingTable;
import org.sluice.core.setting.SettingTable.LearnedMembers;
import org.sluice.core.setting.Settings;
import org.sluice.core.setting.WithdrawStage;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.spi.ReplicatedMap.Versioned;
import org.sluice.core.spi.ReplicatedStorage;
import org.sluice.core.spi.StorageUnavailableException;
import org.sluice.engine.law.GuaranteeAdmission;

/**
 * Keeps tenants over the cluster. All of them are one entry of a consistent map: whether a
 * guarantee can be kept depends on all others, so two changes at once must see each other.
 */
public final class TenantStore implements TenantAdminService, TenantDirectory, SettingListener {
  private static final Logger log = LoggerFactory.getLogger(TenantStore.class);
  private static final String STORE = "sluice-tenants";
  private static final String ENTRY = "tenants";

  /** Each one lost means that another change was made: with a few nodes so many never come. */
  private static final int ATTEMPTS = 50;

  /** A cluster takes entries of up to 1 MiB: some 5,000 tenants with a member each. */
  static final int MOST_CHARACTERS = 900_000;

  /** A change to the set of all tenants. */
  private interface Step {
    StoredTenants apply(StoredTenants before) throws SluiceException;
  }

  /** A step that was made. */
  private static final class Made {
    final StoredTenants before;
    final StoredTenants after;

    Made(StoredTenants before, StoredTenants after) {
      this.before = before;
      this.after = after;
    }
  }

  private final Settings settings;
  private final ReplicatedMap store;
  private final ReportedEndpoints endpoints;
  private final TenantAdmission admission;
  private final JournalWriter journal;

  private final Epoch epoch = new Epoch();
  private final ReplicatedMap.Listener listener = (key, before, now) -> show(now);
  private volatile TenantSnapshot table = TenantSnapshot.of(List.of());
  private long shownVersion = Long.MIN_VALUE;
  private List<UnreadableTenant> reportedUnreadable = List.of();

  public TenantStore(
      Settings settings,
      ReplicatedStorage storage,
      ReportedEndpoints endpoints,
      EndpointLocator locator,
      HostDirectory hosts,
      Capacities capacities,
      JournalWriter journal) {
    this.settings = settings;
    this.store = storage.map(STORE);
    this.endpoints = endpoints;
    this.admission = new TenantAdmission(endpoints, locator, hosts, capacities);
    this.journal = journal;
  }

  public void start() {
    store.addListener(listener);
    settings.addListener(WithdrawStage.PROFILES, this);
    tryToReload();
  }

  public void stop() {
    settings.removeListener(this);
    store.removeListener(listener);
  }

  @Override
  public void changed(Parameters before, Parameters now) {
    if (acceptsLearned(before) != acceptsLearned(now)) {
      epoch.advance();
    }
  }

  private static boolean acceptsLearned(Parameters parameters) {
    return parameters.get(SettingTable.LEARNED_MEMBERS) == LearnedMembers.ACCEPTED;
  }

  /**
   * Endpoints of the default tenant that would be another one's by an address which their hosts
   * only saw them use; each with the first such address.
   */
  public Map<EndpointId, IpAddress> learnedStrangers() {
    Map<EndpointId, IpAddress> found = new TreeMap<>();
    TenantSnapshot now = table;
    for (ReportedEndpoint endpoint : endpoints.reported()) {
      TenantId tenant = membershipOf(endpoint).tenant().id();
      if (now.named(endpoint).isEmpty() && tenant.equals(TenantId.DEFAULT)) {
        endpoint.learnedIps().stream()
            .sorted()
            .filter(ip -> now.byPrefix(ip).isPresent())
            .findFirst()
            .ifPresent(ip -> found.put(endpoint.id(), ip));
      }
    }
    return found;
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public Tenant tenantOf(ReportedEndpoint endpoint) {
    return membershipOf(endpoint).tenant();
  }

  @Override
  public Membership membershipOf(ReportedEndpoint endpoint) {
    return table.membershipOf(endpoint, acceptsLearned(settings.parameters()));
  }

  @Override
  public Optional<TenantId> namedTenantOf(ReportedEndpoint endpoint) {
    return table.named(endpoint).map(membership -> membership.tenant().id());
  }

  @Override
  public Optional<TenantId> tenantOfPrefix(IpAddress ip) {
    return table.byPrefix(ip).map(membership -> membership.tenant().id());
  }

  @Override
  public List<Tenant> tenants() {
    return table.tenants();
  }

  @Override
  public Optional<Tenant> tenant(TenantId id) {
    return table.tenant(id);
  }

  @Override
  public TenantAdminService by(String author) {
    return new RequestedTenants(this, Requester.NOBODY.named(author));
  }

  @Override
  public TenantAdminService allowingRefusedAddresses() {
    return new RequestedTenants(this, Requester.NOBODY.allowingRefusedAddresses());
  }

  @Override
  public boolean put(Tenant tenant, Expectation<Tenant> expected) throws SluiceException {
    return put(tenant, expected, Requester.NOBODY);
  }

  boolean put(Tenant tenant, Expectation<Tenant> expected, Requester requester)
      throws SluiceException {
    Made made =
        make(
            stored -> {
              expected.check(stored.tenant(tenant.id()));
              return checked(stored, tenant, requester);
            });
    record(made, tenant, requester);
    return made.before.table().tenant(tenant.id()).isEmpty();
  }

  @Override
  public Tenant change(TenantId id, Change change) throws SluiceException {
    return change(id, change, Requester.NOBODY);
  }

  Tenant change(TenantId id, Change change, Requester requester) throws SluiceException {
    Made made =
        make(
            stored -> {
              Tenant changed = change.apply(stored.tenant(id));
              if (!changed.id().equals(id)) {
                throw new IllegalArgumentException(
                    "a change of tenant " + id + " made tenant " + changed.id());
              }
              return checked(stored, changed, requester);
            });
    Tenant tenant = made.after.table().tenant(id).orElseThrow();
    record(made, tenant, requester);
    return tenant;
  }

  @Override
  public void create(Tenant tenant) throws SluiceException {
    create(tenant, Requester.NOBODY);
  }

  void create(Tenant tenant, Requester requester) throws SluiceException {
    make(
        stored -> {
          if (stored.tenant(tenant.id()).isPresent()) {
            throw SluiceException.conflict(
                "id",
                tenant.id(),
                "There is a tenant with this id",
                "Choose another id, or replace the tenant");
          }
          return checked(stored, tenant, requester);
        });
    TenantJournal.changed(journal, Optional.empty(), tenant, requester.author);
  }

  @Override
  public void remove(TenantId id, Expectation<Tenant> expected) throws SluiceException {
    remove(id, expected, Requester.NOBODY);
  }

  void remove(TenantId id, Expectation<Tenant> expected, Requester requester)
      throws SluiceException {
    make(
        stored -> {
          // What cannot be read is what nobody has seen; it can be removed.
          expected.check(stored.table().tenant(id));
          if (id.equals(TenantId.DEFAULT) && stored.unreadable(id).isEmpty()) {
            throw SluiceException.conflict(
                "id",
                id,
                "The default tenant cannot be removed",
                "Change it, or remove another one");
          }
          if (!stored.contains(id)) {
            throw SluiceException.notFound("id", id, "There is no tenant with this id");
          }
          StoredTenants after = stored.without(id);
          losses(stored, after.table(), requester).checkRemoval();
          return after;
        });
    TenantJournal.removed(journal, id, requester.author);
  }

  private StoredTenants checked(StoredTenants stored, Tenant tenant, Requester requester)
      throws SluiceException {
    stored.tenant(tenant.id()); // What cannot be read is not overwritten.
    stored.table().checkMembers(tenant);
    TenantSnapshot after = stored.table().with(tenant);
    admission(after).check(tenant.id());
    losses(stored, after, requester).check(tenant);
    return stored.with(after);
  }

  /** What would be lost and is not allowed to be. */
  private AddressLosses losses(StoredTenants before, TenantSnapshot after, Requester requester) {
    return new AddressLosses(
        before.table(), after, requester.allowsRefusedAddresses ? List.of() : endpoints.reported());
  }

  private GuaranteeAdmission admission(TenantSnapshot after) {
    Parameters parameters = settings.parameters();
    return admission.of(after, parameters.sharesAmongTenants(), acceptsLearned(parameters));
  }

  @Override
  public TenantSetChange replaceAll(
      List<Tenant> tenants, Expectation<List<Tenant>> expected, boolean dryRun)
      throws SluiceException {
    return replaceAll(tenants, expected, dryRun, Requester.NOBODY);
  }

  TenantSetChange replaceAll(
      List<Tenant> tenants, Expectation<List<Tenant>> expected, boolean dryRun, Requester requester)
      throws SluiceException {
    TenantReplacement replacement = new TenantReplacement(tenants);
    AtomicReference<TenantSetChange> change = new AtomicReference<>();
    Made made =
        make(
            stored -> {
              expected.check(Optional.of(stored.table().tenants()));
              change.set(
                  replacement.change(
                      stored,
                      admission(replacement.table()),
                      losses(stored, replacement.table(), requester)));
              boolean isMade = !dryRun && change.get().refusals().isEmpty();
              return isMade ? stored.with(replacement.table()) : stored;
            });
    if (!dryRun && change.get().refusals().isEmpty()) {
      made.after.table().tenants().forEach(tenant -> record(made, tenant, requester));
      change.get().removed().forEach(id -> TenantJournal.removed(journal, id, requester.author));
    }
    return change.get();
  }

  /** Makes a step from what holds now, again if somebody else was faster. */
  private Made make(Step step) throws SluiceException {
    try {
      for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        Optional<Versioned> stored = store.get(ENTRY);
        StoredTenants before =
            stored.isEmpty() ? StoredTenants.NONE : TenantCodec.read(stored.get().value());
        StoredTenants after = step.apply(before);
        if (after.equals(before)) {
          return new Made(before, after);
        }
        String text = TenantCodec.write(after);
        if (text.length() > MOST_CHARACTERS) {
          throw SluiceException.conflict(
              "",
              "",
              "The cluster's store cannot hold that many tenants and members",
              "Remove tenants, or name members by wider prefixes");
        }
        boolean won =
            stored.isEmpty()
                ? store.putIfAbsent(ENTRY, text)
                : store.replace(ENTRY, stored.get().version(), text);
        if (won) {
          tryToReload();
          return new Made(before, after);
        }
      }
    } catch (StorageUnavailableException e) {
      log.warn("The tenants' store cannot be written", e);
      throw unavailable("The cluster's store cannot be written: " + e);
    }
    throw unavailable("Other nodes changed tenants at the same time, on every attempt");
  }

  private static SluiceException unavailable(String message) {
    return new SluiceException(
        SluiceException.Kind.UNAVAILABLE, "", "", message, "Try again in some seconds");
  }

  private void tryToReload() {
    try {
      reload();
    } catch (StorageUnavailableException e) {
      log.warn("Tenants could not be read; those read last stay in effect: {}", e.toString());
    }
  }

  /**
   * Reads what is stored, of which this node may not have been notified.
   *
   * @throws StorageUnavailableException if the store does not answer
   */
  public void reload() {
    show(store.get(ENTRY));
  }

  /** Makes a state of the store the one that holds here, unless a newer one does already. */
  private void show(Optional<Versioned> stored) {
    if (stored.isEmpty()) {
      return;
    }
    synchronized (this) {
      if (stored.get().version() <= shownVersion) {
        return;
      }
      shownVersion = stored.get().version();
      try {
        StoredTenants now = TenantCodec.read(stored.get().value());
        table = now.table();
        reportUnreadable(now.unreadable());
      } catch (SluiceException e) {
        log.warn(
            "Tenants could not be read; those read last stay in effect. {}. {}",
            e.getMessage(),
            e.remedy());
        journal.write(
            JournalEntry.Kind.REFUSED,
            "Tenants could not be read; those read last stay in effect, and cannot be changed",
            e.getMessage() + ". " + e.remedy());
        return;
      }
    }
    epoch.advance();
  }

  /** Reports what cannot be read, once. */
  private void reportUnreadable(List<UnreadableTenant> unreadable) {
    for (UnreadableTenant one : unreadable) {
      if (!reportedUnreadable.contains(one)) {
        String decision = one.name() + " as it is stored cannot be read; it stays as it is";
        log.warn("{}: {}", decision, one.explanation());
        journal.write(JournalEntry.Kind.REFUSED, decision, one.explanation());
      }
    }
    reportedUnreadable = unreadable;
  }

  private void record(Made made, Tenant tenant, Requester requester) {
    Optional<Tenant> before = made.before.table().tenant(tenant.id());
    if (!before.equals(Optional.of(tenant))) {
      TenantJournal.changed(journal, before, tenant, requester.author);
    }
  }
}
