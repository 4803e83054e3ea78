// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.api.Expectation;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantAdminService;
import org.sluice.api.TenantId;
import org.sluice.api.TenantSetChange;

/** The command, typed in Karaf's shell; the file's text is the id of its one tenant. */
class TenantsApplyCommandTest {
  private static final TenantSetChange MADE =
      TenantSetChange.of(
          List.of(TenantId.of("red")),
          List.of(TenantId.DEFAULT),
          List.of(TenantId.of("blue"), TenantId.of("gold")),
          List.of());

  @TempDir Path directory;

  private final Tenants tenants = new Tenants();
  private final Shell shell = new Shell(new Services(), TenantsApplyCommand.class);
  private String file;

  @BeforeEach
  void writeFile() throws Exception {
    Path path = directory.resolve("tenants.json");
    Files.writeString(path, "{\"tenants\": [{\"id\": \"red\"}]}");
    file = path.toString();
  }

  @AfterEach
  void close() {
    shell.close();
  }

  @Test
  void showsTheResultingChanges() throws Exception {
    assertThat(shell.type("sluice-tenants-apply " + file).split("\\R"))
        .containsExactly("created    red", "changed    default", "removed    blue, gold");
    assertThat(tenants.given).extracting(Tenant::id).containsExactly(TenantId.of("red"));
    assertThat(tenants.dryRun).isFalse();
    assertThat(tenants.lastAuthor).as("who is journaled for it").isEqualTo("olga");

    JsonNode json = new ObjectMapper().readTree(shell.type("sluice-tenants-apply " + file + " -j"));
    assertThat(json.path("applied").asBoolean()).isTrue();
    assertThat(json.path("removed").toString()).isEqualTo("[\"blue\",\"gold\"]");
  }

  @Test
  void dryRunChangesNothing() throws Exception {
    for (String typed : List.of("--dry-run " + file + " -j", file + " --dry-run -j")) {
      tenants.dryRun = false;
      JsonNode json = new ObjectMapper().readTree(shell.type("sluice-tenants-apply " + typed));
      assertThat(tenants.dryRun).as(typed).isTrue();
      assertThat(json.path("applied").asBoolean()).as(typed).isFalse();
    }
  }

  @Test
  void refusedAddressesAreAllowedOnRequestOnly() throws Exception {
    shell.type("sluice-tenants-apply " + file);
    assertThat(tenants.allowsRefusedAddresses).isFalse();
    for (String typed :
        List.of("--allow-refused-addresses " + file, file + " --allow-refused-addresses")) {
      tenants.allowsRefusedAddresses = false;
      shell.type("sluice-tenants-apply " + typed);
      assertThat(tenants.allowsRefusedAddresses).as(typed).isTrue();
    }
  }

  @Test
  void showsEveryRejection() {
    tenants.change =
        TenantSetChange.refused(
            List.of(
                SluiceException.conflict(
                    "tenants[0].guaranteeBitsPerSecond", 50_000_000, "Too much", "Use less"),
                SluiceException.invalid("tenants[1].id", "red", "Given twice", "Give it once")));

    assertThat(catchThrowable(() -> shell.type("sluice-tenants-apply " + file)))
        .hasMessageContaining("Nothing changed");
    assertThat(shell.printed().split("\\R"))
        .containsExactly(
            "tenants[0].guarantee 50 Mbit/s: Too much. Use less.",
            "tenants[1].id 'red': Given twice. Give it once.");
  }

  @Test
  void missingFileIsRejected() {
    assertThat(catchThrowable(() -> shell.type("sluice-tenants-apply /no/such/file")))
        .hasMessageContaining("/no/such/file");
    shell.login("viewer");
    assertThat(catchThrowable(() -> shell.type("sluice-tenants-apply " + file)))
        .hasMessageContaining("role admin");
    assertThat(tenants.given).isEmpty();
  }

  private final class Services implements ServiceDirectory {
    @Override
    public <T> T get(Class<T> type) {
      if (type == TenantAdminService.class) {
        return type.cast(tenants);
      }
      throw new ServiceNotFoundException(type.getName());
    }
  }

  private static final class Tenants implements TenantAdminService {
    TenantSetChange change = MADE;
    List<Tenant> given = List.of();
    boolean dryRun;
    String lastAuthor = "";
    boolean allowsRefusedAddresses;

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
    public TenantSetChange replaceAll(
        List<Tenant> all, Expectation<List<Tenant>> expected, boolean dry) {
      given = all;
      dryRun = dry;
      return change;
    }

    @Override
    public List<Tenant> tenants() {
      throw new UnsupportedOperationException();
    }

    @Override
    public Optional<Tenant> tenant(TenantId id) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Tenant change(TenantId id, Change made) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean put(Tenant tenant, Expectation<Tenant> expected) {
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
  }
}
