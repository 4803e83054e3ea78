// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.karaf.shell.support.CommandException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.Endpoint;
import org.sluice.api.EndpointId;
import org.sluice.api.EndpointService;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;
import org.sluice.api.TenantId;
import org.sluice.api.access.Caller;
import org.sluice.api.deadline.FlowAdminService;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.why.Explanation;
import org.sluice.api.why.ExplanationService;
import org.sluice.api.why.FlowExplanation;
import org.sluice.json.ExplanationDto;
import org.sluice.json.Json;

/** What sluice-why prints, and for whom. */
class WhyCommandTest {
  private static final Endpoint ENDPOINT =
      Endpoint.of(
          EndpointId.parse("h1/vm0"),
          MacAddress.parse("02:00:00:00:01:01"),
          Set.of(IpAddress.parse("10.0.0.1")),
          TenantId.of("red"),
          Optional.empty(),
          0);

  private final Shell shell = new Shell(new Services(), WhyCommand.class);
  private Caller lastCaller;

  @AfterEach
  void close() {
    shell.close();
  }

  private Explanation explain(Endpoint endpoint, Caller caller) {
    lastCaller = caller;
    return Explanation.builder(endpoint.id(), endpoint.tenant())
        .tenantWeight(1)
        .cause(Explanation.Cause.UPLINK)
        .deliveredBitsPerSecond(9)
        .limitBitsPerSecond(10)
        .ports(List.of())
        .summary("It is held.")
        .lines(List.of("By this.", "And that."))
        .journal(List.of())
        .build();
  }

  @Test
  void printsTheExplanationLineByLine() throws Exception {
    assertThat(shell.type("sluice-why h1/vm0").lines())
        .containsExactly("It is held.", "  By this.", "  And that.");
    assertThat(lastCaller.seesAll()).isTrue();
  }

  @Test
  void jsonMatchesRest() throws Exception {
    ObjectMapper mapper = new ObjectMapper();
    JsonNode rest = mapper.readTree(Json.text(new ExplanationDto(explain(ENDPOINT, lastCaller))));
    assertThat(mapper.readTree(shell.type("sluice-why -j h1/vm0"))).isEqualTo(rest);
  }

  @Test
  void jsonIsAcceptedAnywhereAndErrorsAreJsonThen() throws Exception {
    String first = shell.type("sluice-why -j h1/vm0");
    assertThat(shell.type("sluice-why h1/vm0 -j")).isEqualTo(first);
    assertThat(shell.type("sluice-why h1/vm0 --json")).isEqualTo(first);
    for (String typed : List.of("sluice-why -j h9/vm0", "sluice-why h9/vm0 -j")) {
      CommandException refused =
          catchThrowableOfType(CommandException.class, () -> shell.type(typed));
      assertThat(new ObjectMapper().readTree(refused.getNiceHelp()).toString())
          .isEqualTo(
              "{\"detail\":\"There is no such endpoint\",\"field\":\"endpoint\","
                  + "\"value\":\"h9/vm0\",\"remedy\":\"List what exists and use its name\"}");
    }
  }

  @Test
  void explainsAFlowByItsNumber() throws Exception {
    assertThat(shell.type("sluice-why 1").lines()).containsExactly("It is late.", "  There.");
    assertThat(new ObjectMapper().readTree(shell.type("sluice-why -j 1")).at("/flow/id").asInt())
        .isEqualTo(1);
    assertThatThrownBy(() -> shell.type("sluice-why 77"))
        .hasMessageContaining("flow '77'")
        .hasMessageContaining("There is no such registration");
    assertThatThrownBy(() -> shell.type("sluice-why 99999999999999999999"))
        .hasMessageContaining("flow '99999999999999999999'");
    shell.login("sluice-tenant", "sluice-tenant-green");
    assertThatThrownBy(() -> shell.type("sluice-why 1"))
        .hasMessageContaining("There is no such registration");
  }

  @Test
  void endpointOfAnotherTenantIsUnknown() throws Exception {
    shell.login("sluice-tenant", "sluice-tenant-red");
    assertThat(shell.type("sluice-why h1/vm0")).startsWith("It is held.");
    assertThat(lastCaller.seesAll()).isFalse();
    shell.login("sluice-tenant", "sluice-tenant-green");
    assertThatThrownBy(() -> shell.type("sluice-why h1/vm0"))
        .hasMessageContaining("endpoint 'h1/vm0'")
        .hasMessageContaining("There is no such endpoint");
  }

  @Test
  void rejectsInvalidEndpoints() {
    assertThatThrownBy(() -> shell.type("sluice-why vm0"))
        .hasMessageContaining("endpoint 'vm0'")
        .hasMessageContaining("such as h1/vm0");
  }

  private final class Services implements ServiceDirectory {
    @Override
    public <T> T get(Class<T> service) {
      if (service == EndpointService.class) {
        return service.cast(new OneEndpoint());
      }
      if (service == FlowAdminService.class) {
        return service.cast(new FlowCommandsTest.Flows());
      }
      return service.cast(new Explanations());
    }
  }

  private final class Explanations implements ExplanationService {
    @Override
    public Explanation why(Endpoint endpoint, Caller caller) {
      return explain(endpoint, caller);
    }

    @Override
    public FlowExplanation why(FlowStatus flow, Caller caller) {
      lastCaller = caller;
      return FlowExplanation.builder(flow)
          .cause(FlowExplanation.Cause.LATE)
          .summary("It is late.")
          .lines(List.of("There."))
          .journal(List.of())
          .build();
    }
  }

  private static final class OneEndpoint implements EndpointService {
    @Override
    public List<Endpoint> endpoints() {
      return List.of(ENDPOINT);
    }

    @Override
    public Optional<Endpoint> endpoint(EndpointId id) {
      return Optional.of(ENDPOINT).filter(one -> one.id().equals(id));
    }

    @Override
    public Optional<Endpoint> endpoint(IpAddress ip) {
      return Optional.empty();
    }
  }
}
