// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.security.Principal;
import java.security.PrivilegedAction;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import javax.security.auth.Subject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sluice.api.access.Caller;

/** Who may run which command. */
class PermissionTest {
  private static final String FORBIDDEN = "This user may not run this command. It needs the role ";

  @ParameterizedTest
  @CsvSource({
    "admin, CHANGE_ALL SEE_ALL SEE_OWN REGISTER",
    "viewer, SEE_ALL SEE_OWN",
    "sluice-tenant, SEE_OWN",
    "sluice-tenant sluice-deadlines, SEE_OWN REGISTER",
    "sluice-deadlines,",
    "ssh,",
  })
  void rolesGivePermissions(String roles, String permissions) {
    Caller caller = Caller.of(List.of(roles.split(" "))::contains);
    List<String> expected = permissions == null ? List.of() : List.of(permissions.split(" "));
    assertThat(Arrays.stream(Permission.values()).filter(one -> one.isGivenTo(caller)))
        .extracting(Enum::name)
        .containsExactlyElementsOf(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "sluice-tenant-set gold, viewer",
    "sluice-tenant-remove gold, viewer",
    "sluice-hosts, sluice-tenant",
    "sluice-host-retire h1, viewer",
    "sluice-ports, sluice-tenant",
    "sluice-queues, sluice-tenant",
    "sluice-caps, sluice-tenant",
    "sluice-background-flows, ssh",
    "sluice-doctor, sluice-tenant",
    "sluice-cluster, sluice-tenant",
    "sluice-switch-setup br0, sluice-tenant",
    "sluice-tenants, ssh",
    "sluice-endpoints, ssh",
    "sluice-why h1/vm0, ssh",
    "sluice-journal, ssh",
  })
  void aCommandIsRefusedBeforeItDoesAnything(String line, String role) {
    try (Shell shell =
        new Shell(
            PermissionTest::noService,
            HostRetireCommand.class,
            TenantSetCommand.class,
            TenantRemoveCommand.class,
            TenantsCommand.class,
            HostsCommand.class,
            PortsCommand.class,
            QueuesCommand.class,
            CapsCommand.class,
            BackgroundFlowsCommand.class,
            DoctorCommand.class,
            ClusterCommand.class,
            SwitchSetupCommand.class,
            EndpointsCommand.class,
            WhyCommand.class,
            JournalCommand.class)) {
      shell.login(role);
      assertThat(catchThrowable(() -> shell.type(line)).getMessage()).startsWith(FORBIDDEN);
      String json = line.replaceFirst("( |$)", " -j$1");
      assertThat(catchThrowable(() -> shell.type(json)).getMessage())
          .startsWith("{\"detail\":\"" + FORBIDDEN);
      shell.login("admin");
      assertThat(catchThrowable(() -> shell.type(line)).getMessage())
          .as("past the check")
          .startsWith("Sluice is not running");
    }
  }

  private static <T> T noService(Class<T> type) {
    throw new ServiceNotFoundException(type.getName());
  }

  @Test
  void unauthenticatedUserHasNoRole() {
    assertThat(ShellLogin.caller().role()).isEqualTo(Caller.Role.NONE);
  }

  @Test
  void unknownKarafRoleGrantsNothing() {
    Principal pretender = () -> "admin";
    Subject user = new Subject(true, Set.of(pretender), Set.of(), Set.of());
    PrivilegedAction<Caller> look = ShellLogin::caller;
    assertThat(Subject.doAs(user, look).role()).isEqualTo(Caller.Role.NONE);
  }
}
