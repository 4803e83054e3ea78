// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.setting;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * {@code docs/settings.md}: what the {@link SettingTable} has, by what an operator wants to do,
 * with the page that explains it.
 */
final class SettingsPage {
  private static final String COMPONENT = "org.sluice.onos.SluiceManager";
  private static final String OVERLAY = "org.sluice.overlay.TopologyOverlay";
  private static final Pattern RANGE = Pattern.compile("a whole number from (\\d+) to (\\d+)");

  private static final List<String> INTRODUCTION =
      List.of(
          "<!-- SPDX-License-Identifier: Apache-2.0 -->",
          "<!-- Generated from SettingTable.java by `make docs`: change it there, or in"
              + " SettingsPage.java. -->",
          "# The controller's settings",
          "",
          "Every property of the component `" + COMPONENT + "`. The agents' are in [their",
          "configuration](agent-configuration.md); tenants, addresses and capacities are in the"
              + " [network",
          "configuration](netcfg.md) or set by [REST](rest.md).",
          "",
          "## How to use it",
          "",
          "    onos> cfg set " + COMPONENT + " controlPeriodMillis 10",
          "    onos> cfg get " + COMPONENT,
          "    curl -u onos:rocks -X POST -H 'Content-Type: application/json' -d"
              + " '{\"controlPeriodMillis\": \"10\"}' \\",
          "        http://192.0.2.10:8181/onos/v1/configuration/" + COMPONENT,
          "",
          "A setting holds on all nodes of the cluster, from the next control period on; no restart"
              + " is needed. What else a",
          "change does stands above each table. A value that is not accepted changes nothing: the"
              + " log says what would be",
          "accepted. To have a value from the first start on, set it before the application is"
              + " activated, with `?preset=true`",
          "behind the address.",
          "");

  /** Settings that an operator searches for together. */
  private static final class Group {
    final String title;
    final String change;
    final List<Row> rows;

    Group(String title, String change, Row... rows) {
      this.title = title;
      this.change = change;
      this.rows = List.of(rows);
    }
  }

  private static final class Row {
    final Setting<?> setting;
    final String explainedIn;

    Row(Setting<?> setting, String explainedIn) {
      this.setting = setting;
      this.explainedIn = explainedIn;
    }
  }

  private static Row row(Setting<?> setting, String explainedIn) {
    return new Row(setting, explainedIn);
  }

  private static final List<Group> GROUPS =
      List.of(
          new Group(
              "Sharing ports",
              "After a change shares are decided anew, and agents follow them.",
              row(SettingTable.ENFORCEMENT, "agent-configuration.md#keys"),
              row(SettingTable.LAW, "systems.md"),
              row(SettingTable.SPLIT, "sdn-gcc.md#how-to-use-it"),
              row(SettingTable.SHARE, "operations.md#tenants"),
              row(SettingTable.LEARNED_MEMBERS, "operations.md#whose-addresses-are"),
              row(SettingTable.CONTROL_PERIOD_MILLIS, "two-time-scale-law.md")),
          new Group(
              "Deadlines",
              "Registrations that there are stay; a changed limit holds for those that come."
                  + " `deadlines = off` takes all windows back.",
              row(SettingTable.DEADLINES, "deadlines.md#properties"),
              row(SettingTable.DEADLINES_PER_TENANT, "deadlines.md#properties"),
              row(SettingTable.DEADLINES_PER_HOST, "deadlines.md#properties"),
              row(SettingTable.DEADLINE_HORIZON_MINUTES, "deadlines.md#properties"),
              row(SettingTable.WINDOWS, "sed.md"),
              row(SettingTable.EXPIRED, "deadlines.md#properties"),
              row(SettingTable.FLOWS, "deadlines.md#connections-as-switches-see-them"),
              row(SettingTable.LOSS_ANSWERS, "port-agent.md#losses"),
              row(SettingTable.LOSS_ANSWERS_BY, "port-agent.md#losses")),
          new Group(
              "Short flows first",
              "After a change caps end, and background flows are learned again within some"
                  + " milliseconds.",
              row(SettingTable.CAPS, "micro-flow.md#in-a-controller"),
              row(SettingTable.LEVEL_THRESHOLDS, "micro-flow.md#in-a-controller"),
              row(SettingTable.LEVELS, "micro-flow.md#in-a-controller"),
              row(SettingTable.BACKGROUND_KILOBYTES, "micro-flow.md#in-a-controller"),
              row(SettingTable.BACKGROUND_DSCP, "forwarding.md#caps-of-long-flows"),
              row(SettingTable.FABRIC_ROUND_TRIP_MICROS, "micro-flow.md#in-a-controller"),
              row(SettingTable.THRESHOLD_DIVISION, "da-dctcp.md#thresholds-that-are-divided")),
          new Group(
              "Signals from switches and hosts",
              "With another port or address a listener ends and begins anew: switches connect"
                  + " again, flows known by sFlow are learned again.",
              row(SettingTable.SIGNALS, "marks.md"),
              row(SettingTable.FAST_COUNTERS, "fast-counters.md"),
              row(SettingTable.FAST_COUNTERS_PORT, "fast-counters.md"),
              row(SettingTable.SFLOW_PORT, "sflow.md"),
              row(SettingTable.SFLOW_AGENTS, "sflow.md"),
              row(SettingTable.SFLOW_ADDRESS, "sflow.md")),
          new Group(
              "Notices to hosts",
              "After a change the next notice goes by the new way.",
              row(SettingTable.NOTICES, "notices.md"),
              row(SettingTable.NOTICE_FORMAT, "notices.md"),
              row(SettingTable.NOTICE_PROTOCOL, "notices.md")),
          new Group(
              "Forwarding",
              "After a change rules in switches are installed, replaced or taken back at once.",
              row(SettingTable.FORWARDING, "forwarding.md"),
              row(SettingTable.SPREADING, "forwarding.md#several-paths"),
              row(SettingTable.ATTACHMENT_AGE_MINUTES, "forwarding.md"),
              row(SettingTable.ADDRESSES_PER_PORT, "forwarding.md")),
          new Group(
              "The agent link, and its keys",
              "With another port, lease or file, and without an authority that there was, the link"
                  + " ends and begins anew: agents connect again, and go on with what was decided"
                  + " meanwhile. Sessions go on with both lists of hosts as they change, and with what"
                  + " else is renewed in the same files.",
              row(SettingTable.AGENT_LINK_PORT, "operations.md#whether-the-link-serves"),
              row(SettingTable.AGENT_LINK_KEY, "../lab/pki/README.md"),
              row(SettingTable.AGENT_LINK_CERTIFICATE, "../lab/pki/README.md"),
              row(SettingTable.AGENT_LINK_TRUST, "../lab/pki/README.md"),
              row(SettingTable.AGENT_LINK_HOSTS, "operations.md#which-hosts-may-connect"),
              row(SettingTable.AGENT_LINK_REVOKED, "operations.md#which-hosts-may-connect"),
              row(SettingTable.LEASE_MILLIS, "agent.md#when-the-agent-is-dead-afterlease")));

  private SettingsPage() {}

  /** Every setting that has a place in it, as often as it has one. */
  static List<Setting<?>> settings() {
    return GROUPS.stream()
        .flatMap(group -> group.rows.stream())
        .map(row -> row.setting)
        .collect(Collectors.toList());
  }

  /**
   * The whole page.
   *
   * @param overlay the definitions of the topology overlay's properties, as ONOS reads them
   */
  static String text(List<String> overlay) {
    List<String> lines = new ArrayList<>(INTRODUCTION);
    for (Group group : GROUPS) {
      begin(lines, group.title, group.change);
      for (Row row : group.rows) {
        Setting<?> setting = row.setting;
        String defaultValue = setting.write(setting.defaultValue());
        lines.add(
            line(
                setting.name(),
                values(setting),
                defaultValue,
                setting.description(),
                link(row.explainedIn)));
      }
      lines.add("");
    }
    begin(lines, "ONOS's own topology view", "The component `" + OVERLAY + "`.");
    for (String definition : overlay) {
      String[] fields = definition.split("\\|", 4);
      lines.add(
          line(
              fields[0],
              "`true`, `false`",
              fields[2],
              fields[3],
              link("operations.md#in-onoss-own-topology-view")));
    }
    return String.join("\n", lines) + "\n";
  }

  private static void begin(List<String> lines, String title, String sentence) {
    lines.addAll(
        List.of(
            "## " + title,
            "",
            sentence,
            "",
            "| property | values | default | what it does | more |",
            "| --- | --- | --- | --- | --- |"));
  }

  private static String line(
      String name, String values, String defaultValue, String description, String link) {
    String written = defaultValue.isEmpty() ? "empty" : "`" + defaultValue + "`";
    return String.format("| `%s` | %s | %s | %s | %s |", name, values, written, description, link);
  }

  /** What is accepted: every word of a choice, the bounds of a number. */
  private static String values(Setting<?> setting) {
    if (setting.type().equals(Boolean.class)) {
      return words(setting, Stream.of(true, false));
    }
    if (setting.type().isEnum()) {
      return words(setting, Arrays.stream(setting.type().getEnumConstants()));
    }
    Matcher range = RANGE.matcher(setting.accepted());
    return range.matches() ? range.group(1) + " to " + range.group(2) : setting.accepted();
  }

  private static String words(Setting<?> setting, Stream<?> constants) {
    return constants
        .map(setting::write)
        .filter(word -> setting.parse(word).isPresent())
        .map(word -> "`" + word + "`")
        .collect(Collectors.joining(", "));
  }

  private static String link(String target) {
    String page = target.replaceAll("#.*", "").replaceAll("/README\\.md$|\\.md$", "");
    return "[" + page.substring(page.lastIndexOf('/') + 1) + "](" + target + ")";
  }
}
