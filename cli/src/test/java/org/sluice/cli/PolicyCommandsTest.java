// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.karaf.shell.api.console.CommandLine;
import org.apache.karaf.shell.support.completers.ArgumentCommandLine;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.api.Expectation;
import org.sluice.api.HostId;
import org.sluice.api.IpPrefix;
import org.sluice.api.PortId;
import org.sluice.api.policy.AppliedHint;
import org.sluice.api.policy.GroupHint;
import org.sluice.api.policy.HostHints;
import org.sluice.api.policy.PolicyDecision;
import org.sluice.api.policy.PolicyFinding;
import org.sluice.api.policy.PolicyPresets;
import org.sluice.api.policy.PolicyPreview;
import org.sluice.api.policy.PolicyRevision;
import org.sluice.api.policy.PolicyService;
import org.sluice.api.policy.PolicySet;
import org.sluice.api.policy.PrefixHint;
import org.sluice.api.policy.TcpHint;
import org.sluice.json.Json;
import org.sluice.json.PolicyJson;

/** The commands about congestion control policies, typed in Karaf's shell. */
class PolicyCommandsTest {
  private static final TcpHint HINT =
      TcpHint.builder().initialWindowSegments(20).rtoMinNanos(2_000_000).build();
  private static final PolicyFinding FINDING =
      PolicyFinding.of("groups[0].hosts[0]", "h9", "No such host", "Use another");

  @TempDir Path directory;

  private final Policies policies = new Policies();
  private final Shell shell =
      new Shell(
          new Services(),
          PoliciesCommand.class,
          PolicyApplyCommand.class,
          PolicyDryRunCommand.class,
          PolicyRollbackCommand.class,
          PolicyWithdrawCommand.class);

  @AfterEach
  void close() {
    shell.close();
  }

  private String[] lines(String typed) throws Exception {
    return shell.type(typed).split("\\R");
  }

  private JsonNode json(String typed) throws Exception {
    return new ObjectMapper().readTree(shell.type(typed));
  }

  @Test
  void appliesPresetsAndFiles() throws Exception {
    policies.findings = List.of();
    assertThat(lines("sluice-policy-apply opentcp2"))
        .containsExactly(
            "REVISION  TIME                      AUTHOR  ROLLED BACK TO  PROFILES",
            "       1  1970-01-01T00:00:07.000Z  olga    -               opentcp2");
    Path file = directory.resolve("mine.json");
    Files.writeString(
        file, Json.text(PolicyJson.write(PolicyPresets.openTcp1())).replace("opentcp1", "mine"));
    JsonNode made = json("sluice-policy-apply " + file + " -j").path("revisions").get(0);
    assertThat(made.path("revision").asInt()).isEqualTo(2);
    assertThat(made.path("set").path("name").asText()).isEqualTo("mine");
    assertThat(policies.current().orElseThrow().set().map(PolicySet::name)).contains("mine");
  }

  @Test
  void reportsMismatchesWithTheNetwork() throws Exception {
    assertThat(shell.type("sluice-policy-apply opentcp1")).contains("groups[0].hosts[0]", "h9");
  }

  @Test
  void unknownPresetOrFileIsRejected() {
    assertThat(catchThrowable(() -> shell.type("sluice-policy-apply opentcp9")))
        .hasMessageContaining("opentcp9")
        .hasMessageContaining("opentcp1, opentcp2");
    assertThat(catchThrowable(() -> shell.type("sluice-policy-dry-run /no/such/file")))
        .hasMessageContaining("/no/such/file");
    assertThat(catchThrowable(() -> shell.type("sluice-policy-apply opentcp1 --force")))
        .hasMessageContaining("--force");
    assertThat(policies.revisions).isEmpty();
  }

  @Test
  void canBeWatched() throws Exception {
    assertThat(lines("sluice-policies --watch"))
        .containsExactly("\u001b[H\u001b[J", "No policies are in force.");
  }

  @Test
  void listsPoliciesInForceAndTheirEffect() throws Exception {
    assertThat(lines("sluice-policies")).containsExactly("No policies are in force.");
    shell.type("sluice-policy-apply opentcp2");
    assertThat(lines("sluice-policies"))
        .containsExactly(
            "Policies opentcp2 are in force, as revision 1, by olga at 1970-01-01T00:00:07.000Z;"
                + " every 60 s.",
            "POLICY  FROM  TO   ACTIVE  REASON  CYCLES  UTILISATION %  DROPS %  FULLEST LINK",
            "fast    web   all  yes     holds        3             10  -       "
                + " of:0000000000000001/5",
            "FROM  TO       HINTS",
            "web   storage  window 20 RTO_min 2 ms");
    JsonNode json = json("sluice-policies -j");
    assertThat(json.path("current").path("set").path("name").asText()).isEqualTo("opentcp2");
    assertThat(json.path("evaluatedHere").asBoolean()).isTrue();
    assertThat(json.path("fault").isNull()).isTrue();
    assertThat(json.path("decisions").get(0).toString())
        .isEqualTo(
            "{\"policy\":\"fast\",\"from\":\"web\",\"to\":null,\"active\":true,"
                + "\"reason\":\"holds\",\"cycles\":3,\"utilisationPercent\":10,"
                + "\"dropPercent\":null,\"fullestLink\":\"of:0000000000000001/5\"}");
    assertThat(json.path("hints").get(0).toString())
        .isEqualTo(
            "{\"from\":\"web\",\"to\":\"storage\","
                + "\"hints\":{\"initialWindow\":20,\"rtoMinMillis\":2}}");
    policies.evaluating = false;
    assertThat(lines("sluice-policies")[1]).startsWith("Another node of the cluster");
    policies.evaluating = true;
    policies.fault = Optional.of(FINDING);
    assertThat(lines("sluice-policies")[1]).isEqualTo("No such host. Use another.");
  }

  @Test
  void listsHostsAndHistory() throws Exception {
    assertThat(lines("sluice-policies --hosts"))
        .containsExactly(
            "HOST  GROUP  REVISION  STATE    SENT                                IN FORCE"
                + "                                                REFUSED",
            "h1    web           7  refused  window 20 RTO_min 2 ms to 1 prefix"
                + "  window 20 RTO_min 2 ms on 2 routes and 1 control group  no bbr");
    JsonNode host = json("sluice-policies --hosts -j").path("hosts").get(0);
    assertThat(host.path("sent").get(0).path("destinations").get(0).asText())
        .isEqualTo("10.0.0.4/30");
    assertThat(host.path("applied").get(0).path("routes").asInt()).isEqualTo(2);
    shell.type("sluice-policy-apply opentcp1");
    shell.type("sluice-policy-apply opentcp2");
    shell.type("sluice-policy-rollback 1");
    shell.type("sluice-policy-withdraw");
    assertThat(lines("sluice-policies --history"))
        .containsExactly(
            "REVISION  TIME                      AUTHOR  ROLLED BACK TO  PROFILES",
            "       4  1970-01-01T00:00:07.000Z  olga                 -  none",
            "       3  1970-01-01T00:00:07.000Z  olga                 1  opentcp1",
            "       2  1970-01-01T00:00:07.000Z  olga                 -  opentcp2",
            "       1  1970-01-01T00:00:07.000Z  olga                 -  opentcp1");
    assertThat(lines("sluice-policy-withdraw")).containsExactly("There are no revisions.");
    assertThat(policies.revisions).hasSize(4);
    assertThat(catchThrowable(() -> shell.type("sluice-policy-rollback x")))
        .hasMessageContaining("revision 'x'");
  }

  @Test
  void dryRunChangesNothing() throws Exception {
    String[] shown = lines("sluice-policy-dry-run opentcp1");
    assertThat(shown[0]).startsWith("FIELD");
    assertThat(shown[2]).startsWith("POLICY");
    JsonNode json = json("sluice-policy-dry-run opentcp1 --json");
    assertThat(json.path("findings")).hasSize(1);
    assertThat(json.path("decisions")).hasSize(1);
    assertThat(json.path("hints")).hasSize(1);
    assertThat(policies.revisions).isEmpty();
  }

  @Test
  void onlyAdministratorsMayApplyOrDryRun() throws Exception {
    shell.login("viewer");
    assertThat(lines("sluice-policies")).isNotEmpty();
    for (String command :
        List.of(
            "sluice-policy-apply opentcp1",
            "sluice-policy-dry-run opentcp1",
            "sluice-policy-rollback 1",
            "sluice-policy-withdraw")) {
      assertThat(catchThrowable(() -> shell.type(command))).hasMessageContaining("role admin");
    }
    shell.login("sluice-tenant", "sluice-tenant-red");
    assertThat(catchThrowable(() -> shell.type("sluice-policies"))).hasMessageContaining("role");
    assertThat(policies.revisions).isEmpty();
  }

  @Test
  void completesPresets() {
    List<String> candidates = new ArrayList<>();
    CommandLine line = new ArgumentCommandLine("open", 4);
    new PolicyPresetCompleter().complete(null, line, candidates);
    assertThat(candidates).containsExactly("opentcp1 ", "opentcp2 ");
  }

  @Test
  void haveHelp() throws Exception {
    for (String command :
        List.of("sluice-policies", "sluice-policy-apply", "sluice-policy-dry-run")) {
      assertThat(shell.type(command + " --help")).contains(command).contains("--json");
    }
  }

  private final class Services implements ServiceDirectory {
    @Override
    public <T> T get(Class<T> type) {
      if (type.equals(PolicyService.class)) {
        return type.cast(policies);
      }
      throw new ServiceNotFoundException(type.getName());
    }
  }

  private static final class Policies implements PolicyService {
    final List<PolicyRevision> revisions = new ArrayList<>();
    List<PolicyFinding> findings = List.of(FINDING);
    boolean evaluating = true;
    Optional<PolicyFinding> fault = Optional.empty();

    @Override
    public List<PolicyFinding> validate(PolicySet set) {
      return findings;
    }

    @Override
    public PolicyPreview dryRun(PolicySet set) {
      return PolicyPreview.of(
          List.of(
              PolicyDecision.builder("fast")
                  .source("web")
                  .isActive(true)
                  .reason(PolicyDecision.Reason.HOLDS)
                  .cycles(3)
                  .utilisation(0.1)
                  .dropRate(Double.NaN)
                  .fullestLink(Optional.of(PortId.parse("of:0000000000000001/5")))
                  .build()),
          List.of(GroupHint.of("web", "storage", HINT)));
    }

    @Override
    public Optional<PolicyPreview> state() {
      return current().flatMap(PolicyRevision::set).map(this::dryRun);
    }

    @Override
    public boolean isEvaluating() {
      return evaluating;
    }

    @Override
    public Optional<PolicyFinding> fault() {
      return fault;
    }

    @Override
    public Optional<PolicyRevision> current() {
      return revisions.stream().findFirst();
    }

    @Override
    public PolicyRevision apply(
        PolicySet set, String author, Expectation<PolicyRevision> expected) {
      return add(Optional.of(set), author, 0);
    }

    private PolicyRevision add(Optional<PolicySet> set, String author, long rolledBackTo) {
      PolicyRevision made =
          PolicyRevision.builder(revisions.size() + 1)
              .time(Instant.ofEpochSecond(7))
              .author(author)
              .rolledBackTo(rolledBackTo)
              .set(set)
              .build();
      revisions.add(0, made);
      return made;
    }

    @Override
    public PolicyRevision rollBack(
        long revision, String author, Expectation<PolicyRevision> expected) {
      return add(
          revisions.stream()
              .filter(each -> each.number() == revision)
              .findFirst()
              .flatMap(PolicyRevision::set),
          author,
          revision);
    }

    @Override
    public List<PolicyRevision> history() {
      return revisions;
    }

    @Override
    public List<HostHints> hosts() {
      return List.of(
          HostHints.builder(HostId.of("h1"))
              .group("web")
              .revision(7)
              .hints(List.of(PrefixHint.of(List.of(IpPrefix.parse("10.0.0.4/30")), HINT)))
              .state(HostHints.State.REFUSED)
              .applied(List.of(AppliedHint.of(HINT, 2, 1)))
              .refused(List.of("no bbr"))
              .build());
    }
  }
}
