// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.sluice.api.Expectation;
import org.sluice.api.JournalEntry;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantAdminService;
import org.sluice.api.TenantId;
import org.sluice.api.TenantSetChange;
import org.sluice.core.journal.NodeJournal;
import org.sluice.core.testing.MemoryNetwork;

class ConfiguredTenantsTest {
  private static final TenantId T1 = TenantId.of("t1");
  private static final TenantId T2 = TenantId.of("t2");

  private final MemoryNetwork network = new MemoryNetwork();
  private final NodeJournal journal = new NodeJournal(network.time);
  private final Tenants tenants = new Tenants();
  private final ConfiguredTenants configured = new ConfiguredTenants(network, tenants, journal);

  private static Tenant tenant(TenantId id, double weight) throws SluiceException {
    return Tenant.builder(id).weight(weight).build();
  }

  @Test
  void configuredTenantsAreSet() throws Exception {
    configured.start();

    network.setTenants(tenant(T1, 2), tenant(T2, 1));

    assertThat(tenants.tenant(T1)).map(Tenant::weight).contains(2.0);
    assertThat(tenants.tenant(T2)).isPresent();
  }

  @Test
  void operatorChangesSurviveARestart() throws Exception {
    tenants.put(tenant(T1, 7));
    network.setTenants(tenant(T1, 2), tenant(T2, 1));

    configured.start();

    assertThat(tenants.tenant(T1)).map(Tenant::weight).contains(7.0);
    assertThat(tenants.tenant(T2)).isPresent();
  }

  @Test
  void rejectedTenantIsJournaledAndOthersAreSet() throws Exception {
    configured.start();
    tenants.refused = T1;

    network.setTenants(tenant(T1, 1), tenant(T2, 1));

    assertThat(tenants.tenant(T2)).isPresent();
    JournalEntry entry = journal.entries(-1, Optional.empty(), 1).get(0);
    assertThat(entry.kind()).isEqualTo(JournalEntry.Kind.REFUSED);
    assertThat(entry.decision()).contains("t1");
    assertThat(entry.evidence()).contains("guaranteeMbps", "too much", "Ask for less");
  }

  @Test
  void stoppedComponentSetsNothing() throws Exception {
    configured.start();
    configured.stop();

    network.setTenants(tenant(T1, 1));

    assertThat(tenants.tenants()).isEmpty();
  }

  /** Tenants in memory, one of which is refused. */
  private static final class Tenants implements TenantAdminService {
    private final TreeMap<TenantId, Tenant> all = new TreeMap<>();
    private TenantId refused;
    private String lastAuthor = "";
    private boolean allowsRefusedAddresses;

    @Override
    public TenantAdminService by(String author) {
      lastAuthor = author;
      return this;
    }

    @Override
    public TenantAdminService allowingRefusedAddresses() {
      allowsRefusedAddresses = true;
      return this;
    }

    @Override
    public boolean put(Tenant tenant, Expectation<Tenant> expected) throws SluiceException {
      if (tenant.id().equals(refused)) {
        throw SluiceException.conflict(
            "guaranteeBitsPerSecond", 1, "That is too much", "Ask for less");
      }
      return all.put(tenant.id(), tenant) == null;
    }

    @Override
    public Tenant change(TenantId id, Change change) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void create(Tenant tenant) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void remove(TenantId id, Expectation<Tenant> expected) {
      throw new UnsupportedOperationException();
    }

    @Override
    public TenantSetChange replaceAll(
        List<Tenant> tenants, Expectation<List<Tenant>> expected, boolean dryRun) {
      throw new UnsupportedOperationException();
    }

    @Override
    public List<Tenant> tenants() {
      return new ArrayList<>(all.values());
    }

    @Override
    public Optional<Tenant> tenant(TenantId id) {
      return Optional.ofNullable(all.get(id));
    }
  }
}
