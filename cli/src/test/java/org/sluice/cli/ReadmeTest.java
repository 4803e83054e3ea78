// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.sluice.api.EndpointId;
import org.sluice.api.EndpointMetadata;
import org.sluice.api.HostId;
import org.sluice.api.MacAddress;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;

/** What README has operators type, as it stands. */
class ReadmeTest {
  private static final String COMMAND = "onos> sluice-tenant-set ";

  /**
   * The example configuration of agents has them learn addresses from packets, which confer no
   * membership: the endpoints of README's hosts must be members without any.
   */
  @Test
  void stepsPutAnEndpointOfTheExampleIntoItsTenant() throws Exception {
    String typed =
        lines("README.md").stream()
            .map(String::strip)
            .filter(line -> line.startsWith(COMMAND))
            .collect(Collectors.joining());
    List<String> words = List.of(typed.substring(COMMAND.length()).split(" "));
    TrailingOptions options =
        new TrailingOptions(words.subList(1, words.size()), TenantSetCommand.OPTIONS, List.of());
    Tenant gold =
        new TenantChange(Tenant.builder(TenantId.of(words.get(0))).build())
            .weight(options.last("--weight", null))
            .members(
                options.all(TenantChange.MEMBER, null),
                options.all(TenantChange.ADD_MEMBER, null),
                options.all(TenantChange.REMOVE_MEMBER, null))
            .result();

    EndpointId first = EndpointId.of(HostId.of("h1"), "vnet0");
    MacAddress any = MacAddress.parse("02:00:00:00:00:01");
    assertThat(gold.members())
        .anyMatch(member -> member.covers(first, any, List.of(), EndpointMetadata.NONE));
    assertThat(lines("README.md")).anyMatch(line -> line.contains("--host h1 h2"));
    assertThat(lines("host-agent/packaging/agent.yaml.example"))
        .anyMatch(line -> line.strip().startsWith("source: bridge"))
        .anyMatch(line -> line.contains("vnet0"));
  }

  private static List<String> lines(String file) throws IOException {
    return Arrays.asList(Files.readString(Path.of("..", file)).split("\\R"));
  }
}
