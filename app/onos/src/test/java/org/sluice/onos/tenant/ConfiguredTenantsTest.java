// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.onosproject.net.config.Config;
import org.onosproject.net.config.NetworkConfigEvent;
import org.onosproject.net.config.NetworkConfigListener;
import org.onosproject.net.config.NetworkConfigServiceAdapter;
import org.sluice.api.JournalEntry;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantAdminService;
import org.sluice.api.TenantId;
import org.sluice.onos.config.SluiceConfig;
import org.sluice.onos.journal.JournalKeeper;
import org.sluice.onos.testing.FakeSettings;

class ConfiguredTenantsTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final FakeSettings settings = new FakeSettings();
  private final JournalKeeper journal = new JournalKeeper();
  private final Tenants tenants = new Tenants();
  private final List<NetworkConfigListener> listeners = new ArrayList<>();
  private final ConfiguredTenants component = new ConfiguredTenants();
  private SluiceConfig present;

  private SluiceConfig config(String json) throws Exception {
    SluiceConfig config = new SluiceConfig();
    config.init(settings.applicationId(), SluiceConfig.KEY, MAPPER.readTree(json), MAPPER, c -> {});
    return config;
  }

  private void activate() {
    component.settings = settings;
    component.chronicle = journal;
    component.tenants = tenants;
    component.configs =
        new NetworkConfigServiceAdapter() {
          @Override
          @SuppressWarnings("unchecked")
          public <S, C extends Config<S>> C getConfig(S subject, Class<C> configClass) {
            return (C) present;
          }

          @Override
          public void addListener(NetworkConfigListener listener) {
            listeners.add(listener);
          }
        };
    component.activate();
  }

  private void change(SluiceConfig config) {
    NetworkConfigEvent event =
        new NetworkConfigEvent(
            NetworkConfigEvent.Type.CONFIG_UPDATED,
            settings.applicationId(),
            config,
            null,
            SluiceConfig.class);
    listeners.forEach(listener -> listener.event(event));
  }

  @Test
  void whatIsConfiguredIsSet() throws Exception {
    activate();

    change(config("{\"tenants\": [{\"id\": \"t1\", \"weight\": 2}, {\"id\": \"t2\"}]}"));

    assertThat(tenants.tenant(TenantId.of("t1"))).map(Tenant::weight).contains(2.0);
    assertThat(tenants.tenant(TenantId.of("t2"))).isPresent();
  }

  @Test
  void afterARestartWhatAnOperatorChangedStays() throws Exception {
    tenants.put(Tenant.builder(TenantId.of("t1")).weight(7).build());
    present = config("{\"tenants\": [{\"id\": \"t1\", \"weight\": 2}, {\"id\": \"t2\"}]}");

    activate();

    assertThat(tenants.tenant(TenantId.of("t1"))).map(Tenant::weight).contains(7.0);
    assertThat(tenants.tenant(TenantId.of("t2"))).isPresent();
  }

  @Test
  void aTenantThatIsRefusedIsJournaledAndTheOthersAreSet() throws Exception {
    activate();
    tenants.refused = TenantId.of("t1");

    change(config("{\"tenants\": [{\"id\": \"t1\"}, {\"id\": \"t2\"}]}"));

    assertThat(tenants.tenant(TenantId.of("t2"))).isPresent();
    JournalEntry entry = journal.entries(-1, Optional.empty(), 1).get(0);
    assertThat(entry.kind()).isEqualTo(JournalEntry.Kind.REFUSED);
    assertThat(entry.decision()).contains("t1");
    assertThat(entry.evidence()).contains("guaranteeBitsPerSecond", "too much", "Ask for less");
  }

  /** Tenants in memory, one of which is refused. */
  private static final class Tenants implements TenantAdminService {
    private final TreeMap<TenantId, Tenant> all = new TreeMap<>();
    private TenantId refused;

    @Override
    public boolean put(Tenant tenant) throws SluiceException {
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
    public void remove(TenantId id) {
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
