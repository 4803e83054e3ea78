// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sluice.api.Endpoint;
import org.sluice.api.EndpointId;
import org.sluice.api.EndpointService;
import org.sluice.api.Expectation;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;
import org.sluice.api.PortService;
import org.sluice.api.SluiceException;
import org.sluice.api.TenantId;
import org.sluice.api.cluster.ClusterService;
import org.sluice.api.deadline.Admission;
import org.sluice.api.deadline.DeadlineRequest;
import org.sluice.api.deadline.DeadlineSummary;
import org.sluice.api.deadline.FlowAdminService;
import org.sluice.api.deadline.FlowDecision;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.deadline.LossCounts;

/** The commands about deadlines, typed in Karaf's shell. */
class FlowCommandsTest {
  private static final TenantId RED = TenantId.of("red");
  private final Flows flows = new Flows();
  private final Shell shell =
      new Shell(
          new OneService(),
          FlowsCommand.class,
          FlowAddCommand.class,
          FlowRemoveCommand.class,
          DeadlinesCommand.class);

  @AfterEach
  void close() {
    shell.close();
  }

  private static JsonNode json(String printed) throws Exception {
    return new ObjectMapper().readTree(printed);
  }

  /** The one line that a command fails with. */
  private String refusal(String line) {
    return catchThrowable(() -> shell.type(line)).getMessage();
  }

  @Test
  void addsAFlowAndShowsIt() throws Exception {
    String table = shell.type("sluice-flow-add 10.0.0.1 10.0.0.5:5001 400kB 300ms");
    assertThat(flows.request)
        .hasToString(
            DeadlineRequest.of(
                    FlowSyntax.flow("10.0.0.1", "10.0.0.5:5001"), 400_000, 300_000_000, false)
                .toString());
    assertThat(table.lines().findFirst().orElseThrow()).contains("FLOW").contains("PROMISED");
    assertThat(table).contains("10.0.0.1:*").contains("10.0.0.5:5001").contains("waiting");
  }

  @ParameterizedTest
  @CsvSource({
    "sluice-flow-add --force 10.0.0.1 10.0.0.5 1MB 2s",
    "sluice-flow-add -f 10.0.0.1 10.0.0.5 1MB 2s",
    "sluice-flow-add 10.0.0.1 10.0.0.5 1MB 2s --force",
    "sluice-flow-add 10.0.0.1 10.0.0.5 1MB 2s -f",
  })
  void forceOptionMayPrecedeOrFollowArguments(String line) throws Exception {
    assertThat(shell.type(line)).contains("  no ");
    assertThat(flows.request.force()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "sluice-flow-add -j 10.0.0.1 10.0.0.5 1MB 2s",
    "sluice-flow-add --json 10.0.0.1 10.0.0.5 1MB 2s",
    "sluice-flow-add 10.0.0.1 10.0.0.5 1MB 2s --json",
    "sluice-flow-add 10.0.0.1 10.0.0.5 1MB 2s -j",
  })
  void jsonOptionMayPrecedeOrFollowArguments(String line) throws Exception {
    JsonNode flow = json(shell.type(line)).path("flows").path(0);
    assertThat(flow.path("sizeBytes").asLong()).isEqualTo(1_000_000);
    assertThat(flow.path("dueInMillis").asLong()).isEqualTo(2000);
    assertThat(flow.path("promised").isBoolean()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "sluice-flow-add here 10.0.0.5 1MB 2s | source 'here': | Use an address",
        "sluice-flow-add 10.0.0.1 10.0.0.5:x 1MB 2s | destination port 'x': | Use a whole number",
        "sluice-flow-add 10.0.0.1 10.0.0.5 lots 2s | size 'lots': This is not an amount. | Use"
            + " bytes",
        "sluice-flow-add 10.0.0.1 10.0.0.5 1MB 2 | due '2': This is not an amount. | Use a time",
        "sluice-flow-add 10.0.0.1 10.0.0.5 1MB | arguments '10.0.0.1 10.0.0.5 1MB': | Type for",
        "sluice-flow-add 10.0.0.1 10.0.0.5 1MB 2s --now | option '--now': | --help lists",
        "sluice-flow-add 10.0.0.1 10.0.0.5 1GB 1s | due '1s': The deadline cannot | that can is 90",
        "sluice-flow-remove x | id 'x': This is not a number. | Use a whole number from 1",
        "sluice-flow-remove 0 | id '0': This is out of range. | Use a whole number from 1",
        "sluice-flow-remove 99 | id '99': There is no such registration. | List",
        "sluice-flows -s late | state 'late': There is no such state. | Use one of waiting, send",
        "sluice-flows -n 0 | --limit '0': This is out of range. | Use a whole number from 1 to",
        "sluice-flows --limit many | --limit 'many': This is not a number. | Use a whole number",
      })
  void refusalsNameFieldValueAndRemedy(String line, String what, String remedy) {
    assertThat(refusal(line)).startsWith(what).contains(remedy).doesNotContain("\n");
    assertThat(flows.removed).isEmpty();
    assertThat(flows.all).hasSize(3);
  }

  @Test
  void unknownOptionAndMissingArgumentAreRejectedByTheShell() {
    assertThat(refusal("sluice-flow-remove")).contains("id");
    assertThat(refusal("sluice-flows --since 3")).contains("--since");
  }

  @Test
  void listsTheNewestFirst() throws Exception {
    assertThat(ids(shell.type("sluice-flows -j"))).containsExactly(3L, 2L, 1L);
    assertThat(ids(shell.type("sluice-flows --json -n 1"))).containsExactly(3L);
    assertThat(ids(shell.type("sluice-flows -j --state missed"))).containsExactly(2L);
    assertThat(shell.type("sluice-flows --state met").lines()).hasSize(1);
    assertThat(shell.type("sluice-flows").lines().skip(1).map(String::strip))
        .hasSize(3)
        .satisfies(lines -> assertThat(lines.get(1)).startsWith("2").contains("lost"));
  }

  private static List<Long> ids(String printed) throws Exception {
    List<Long> found = new ArrayList<>();
    json(printed).path("flows").forEach(flow -> found.add(flow.path("id").asLong()));
    return found;
  }

  @Test
  void removesAndShowsTheRegistration() throws Exception {
    assertThat(shell.type("sluice-flow-remove 3").lines()).hasSize(2);
    assertThat(flows.removed).containsExactly(3L);
    assertThat(ids(shell.type("sluice-flow-remove 1 -j"))).containsExactly(1L);
  }

  @Test
  void countsByTenantAndListsCongestedPorts() throws Exception {
    assertThat(shell.type("sluice-deadlines")).isEqualToIgnoringNewLines(NOTHING);
    flows.summary =
        DeadlineSummary.of(
            Map.of(RED, Map.of(FlowState.MET, 4L, FlowState.MISSED, 1L)),
            List.of(DeadlineSummary.CongestedPort.of(PortId.parse("of:0000000000000001/5"), 9876)),
            5,
            4,
            LossCounts.of(9, 2, 8, 3));
    assertThat(shell.type("sluice-deadlines"))
        .contains("5 beginnings and 4 ends")
        .contains("Ports lost 9 packets")
        .contains("TENANT")
        .contains("NEVER SENT")
        .contains("red")
        .contains("CONGESTED PORT")
        .contains("s1:5 (of:0000000000000001/5)")
        .contains("9876");
    JsonNode summary = json(shell.type("sluice-deadlines -j"));
    assertThat(summary.path("tenants").path(0).path("met").asLong()).isEqualTo(4);
    assertThat(summary.path("tenants").path(0).path("never-sent").asLong()).isZero();
    assertThat(summary.path("congestedPorts").path(0).path("port").asText())
        .isEqualTo("of:0000000000000001/5");
    assertThat(summary.path("congestedPorts").path(0).path("totalWindowBytes").asLong())
        .isEqualTo(9876);
    assertThat(summary.path("losses").path("packetOuts").asLong()).isEqualTo(3);
  }

  private static final String NOTHING = "No deadline has been registered yet.";

  @Test
  void missingServiceHasTheRemedyToActivateSluice() {
    flows.isThere = false;
    for (String line :
        List.of(
            "sluice-flows",
            "sluice-flow-add 10.0.0.1 10.0.0.5 1MB 2s",
            "sluice-flow-remove 1",
            "sluice-deadlines")) {
      assertThat(refusal(line))
          .isEqualTo("Sluice is not running. Activate it: app activate org.sluice");
    }
  }

  @Test
  void tenantUserSeesItsOwnFlows() throws Exception {
    shell.login("sluice-tenant", "sluice-tenant-red");
    assertThat(ids(shell.type("sluice-flows -j"))).containsExactly(3L, 2L, 1L);
    shell.login("sluice-tenant", "sluice-tenant-blue");
    assertThat(ids(shell.type("sluice-flows -j"))).isEmpty();
    flows.summary =
        DeadlineSummary.of(
            Map.of(RED, Map.of(FlowState.MET, 4L)), List.of(), 5, 4, LossCounts.of(9, 2, 8, 3));
    assertThat(shell.type("sluice-deadlines")).isEqualToIgnoringNewLines(NOTHING);
  }

  @Test
  void tenantUserWithRoleWithdrawsItsOwnFlow() throws Exception {
    shell.login("sluice-tenant", "sluice-tenant-red");
    assertThat(refusal("sluice-flow-remove 3")).startsWith(FORBIDDEN).contains("sluice-deadlines");
    shell.login("sluice-tenant", "sluice-tenant-blue", "sluice-deadlines");
    assertThat(refusal("sluice-flow-remove 3")).startsWith("id '3': There is no such registration");
    assertThat(flows.removed).isEmpty();
    shell.login("sluice-tenant", "sluice-tenant-red", "sluice-deadlines");
    shell.type("sluice-flow-remove 3");
    assertThat(flows.removed).containsExactly(3L);
  }

  @Test
  void tenantUserRegistersForItsOwnEndpoints() throws Exception {
    String line = "sluice-flow-add 10.0.0.1 10.0.0.5 1MB 2s";
    shell.login("sluice-tenant", "sluice-tenant-blue", "sluice-deadlines");
    assertThat(refusal(line)).startsWith("source '10.0.0.1': No endpoint of this user's tenants");
    assertThat(flows.request).isNull();
    shell.login("sluice-tenant", "sluice-tenant-red", "sluice-deadlines");
    shell.type(line);
    assertThat(flows.request).isNotNull();
  }

  @ParameterizedTest
  @CsvSource({"viewer", "manager", "sluice-tenant-red"})
  void otherUsersMayNotRegisterOrWithdraw(String role) {
    shell.login(role, "ssh");
    assertThat(refusal("sluice-flow-add 10.0.0.1 10.0.0.5 1MB 2s")).startsWith(FORBIDDEN);
    assertThat(refusal("sluice-flow-remove 3")).startsWith(FORBIDDEN);
    assertThat(flows.request).isNull();
    assertThat(flows.removed).isEmpty();
  }

  private static final String FORBIDDEN = "This user may not run this command. It needs the role";

  private final class OneService implements ServiceDirectory {
    @Override
    public <T> T get(Class<T> type) {
      if (!flows.isThere || type == ClusterService.class) {
        throw new ServiceNotFoundException("none");
      }
      if (type == PortService.class) {
        return type.cast(new NamedPorts(PortId.parse("of:0000000000000001/5"), "s1:5"));
      }
      return type.cast(type == EndpointService.class ? new Endpoints() : flows);
    }
  }

  /** Red's 10.0.0.1. */
  private static final class Endpoints implements EndpointService {
    private final Endpoint red =
        Endpoint.of(
            EndpointId.of(HostId.of("h1"), "vm0"),
            MacAddress.parse("02:00:00:00:01:01"),
            Set.of(IpAddress.parse("10.0.0.1")),
            RED,
            Optional.empty(),
            0);

    @Override
    public List<Endpoint> endpoints() {
      return List.of(red);
    }

    @Override
    public Optional<Endpoint> endpoint(EndpointId id) {
      return Optional.of(red).filter(one -> one.id().equals(id));
    }

    @Override
    public Optional<Endpoint> endpoint(IpAddress ip) {
      return Optional.of(red).filter(one -> one.ips().contains(ip));
    }
  }

  /** Three registrations; what has more than 10 MB cannot be met. */
  static final class Flows implements FlowAdminService {
    final List<FlowStatus> all = new ArrayList<>();
    final List<Long> removed = new ArrayList<>();
    DeadlineSummary summary = DeadlineSummary.of(Map.of(), List.of(), 0, 0, LossCounts.NONE);
    DeadlineRequest request;
    boolean isThere = true;
    String lastAuthor = "";

    @Override
    public FlowAdminService by(String author) {
      lastAuthor = author;
      return this;
    }

    Flows() {
      all.add(status(1, FlowState.SENDING).build());
      all.add(status(2, FlowState.MISSED).promised(false).promiseLost(true).build());
      all.add(status(3, FlowState.WAITING).build());
    }

    private static FlowStatus.Builder status(long id, FlowState state) {
      try {
        return FlowStatus.builder()
            .id(id)
            .flow(FlowSyntax.flow("10.0.0.1", "10.0.0.5:5001"))
            .tenant(RED)
            .sizeBytes(400_000)
            .remainingBytes(1_000)
            .deadline(Instant.parse("2026-01-01T00:00:00.300Z"))
            .dueInNanos(5_250_000)
            .promised(true)
            .state(state);
      } catch (SluiceException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public FlowDecision register(DeadlineRequest wanted) {
      if (wanted.sizeBytes() > 10_000_000 && !wanted.force()) {
        return FlowDecision.cannotBeMet(Admission.cannotBeMet(90_000_000_000L));
      }
      request = wanted;
      FlowStatus made =
          status(4, FlowState.WAITING)
              .flow(wanted.flow())
              .sizeBytes(wanted.sizeBytes())
              .dueInNanos(wanted.dueInNanos())
              .promised(!wanted.force())
              .build();
      return FlowDecision.registered(made, Admission.accepted());
    }

    @Override
    public CompletableFuture<FlowDecision> registerLater(DeadlineRequest wanted) {
      return CompletableFuture.completedFuture(register(wanted));
    }

    @Override
    public FlowDecision change(
        long id,
        OptionalLong sizeBytes,
        OptionalLong dueInNanos,
        boolean force,
        Expectation<FlowStatus> expected) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void remove(long id, Expectation<FlowStatus> expected) throws SluiceException {
      if (flow(id).isEmpty()) {
        throw SluiceException.notFound("id", id, "There is no such registration");
      }
      removed.add(id);
    }

    @Override
    public List<FlowStatus> flows() {
      return all;
    }

    @Override
    public Optional<FlowStatus> flow(long id) {
      return all.stream().filter(flow -> flow.id() == id).findFirst();
    }

    @Override
    public DeadlineSummary deadlines() {
      return summary;
    }
  }
}
