// SPDX-License-Identifier: Apache-2.0
import type { Context, Panel } from "../context";
import { button, byId, element, KeyedList, setClass, setText, type View } from "../dom";
import { ago, count } from "../format";
import { retireHost } from "../edit/host";
import { compareKeys } from "../live/state";
import type { ClusterNode, Finding, Host } from "../model";
import { retiresHosts } from "../view/access";
import {
  agentSeverity,
  agentText,
  carriedText,
  clockText,
  findingSeverity,
  findingsByConcern,
  hostsByConcern,
  nodeSeverity,
  nodeText,
} from "../view/hosts";
import { badgeCell, CountedHeading, table, targetCell, textCell } from "../widgets";

/** Controllers where there are several, agents, what kernels lack, and what doctor found anywhere. */
export class HostsPanel implements Panel {
  private readonly findingsHeading = new CountedHeading("Findings");
  private readonly hostsHeading = new CountedHeading("Hosts");
  private readonly healthy = element("p", "nothing", "The doctor has no findings.");
  private readonly findings;
  private readonly nodesHeading = new CountedHeading("Controllers");
  private readonly nodes;
  private readonly nodesCard;
  private readonly hosts;

  constructor(private readonly context: Context) {
    const list = element("ul", "findings");
    this.findings = new KeyedList<Finding>(
      list,
      ({ about, what }) => `${about} ${what}`,
      () => this.findingView(),
    );
    this.nodes = nodeTable(context);
    this.nodesCard = element("div", "card", this.nodesHeading.root, this.nodes.root);
    this.hosts = hostTable(context);
    byId("hosts").append(
      element("div", "card", this.findingsHeading.root, list, this.healthy),
      this.nodesCard,
      element("div", "card", this.hostsHeading.root, this.hosts.root),
    );
  }

  update(): void {
    const { findings, hosts, nodes } = this.context.state;
    this.findingsHeading.show(findings.length);
    this.healthy.hidden = findings.length > 0;
    this.findings.update(findingsByConcern(findings));
    this.nodesCard.hidden = nodes.length < 2;
    this.nodesHeading.show(nodes.length);
    this.nodes.update(nodes);
    this.hostsHeading.show(hosts.length);
    this.hosts.update(hostsByConcern(hosts, compareKeys));
  }

  private findingView(): View<Finding> {
    const severity = element("span");
    const about = element("strong");
    const what = element("span");
    const remedy = element("code", "remedy");
    const root = element("li", "", element("p", "", severity, " ", about, " ", what), remedy);
    return {
      root,
      update: (finding) => {
        const { names } = this.context;
        setClass(severity, `badge ${findingSeverity(finding)}`);
        setText(severity, finding.severity);
        setText(about, names.inText(finding.about));
        setText(what, names.inText(finding.what));
        // Commands need ids as they are.
        setText(remedy, finding.remedy);
      },
    };
  }
}

function nodeTable(context: Context) {
  return table<ClusterNode>("Controllers", "There is one.", (node) => node.name, [
    {
      header: "Controller",
      cell: textCell(({ name, local }) => (local ? `${name} (this)` : name)),
    },
    { header: "State", cell: badgeCell(nodeText, nodeSeverity) },
    {
      header: "Leads",
      cell: textCell(({ name }) => (name === context.state.leader ? "leads" : "")),
    },
    {
      header: "Master of",
      classes: "wide",
      cell: textCell(({ switches }) => switches.map((id) => context.names.ofSwitch(id)).join(", ")),
    },
    { header: "Version", classes: "extra", cell: textCell(({ version }) => version ?? "", "mono") },
    { header: "Clock", classes: "extra", cell: textCell(clockText) },
  ]);
}

function hostTable(context: Context) {
  return table<Host>("Hosts", "No agent has connected yet.", (host) => host.id, [
    {
      header: "Host",
      cell: targetCell(
        context,
        ({ id }) => ({ kind: "host", id }),
        ({ id }) => id,
      ),
    },
    {
      header: "Agent",
      cell: badgeCell(agentText, agentSeverity),
    },
    {
      header: "Last report",
      cell: textCell((host) => ago(host.lastSeen, context.now())),
    },
    { header: "Version", classes: "extra", cell: textCell((host) => host.agentVersion, "mono") },
    {
      header: "Manages",
      classes: "extra",
      cell: textCell((host) => carriedText(host, context.names)),
    },
    {
      header: "Endpoints",
      classes: "number extra",
      cell: textCell((host) => count(host.endpointCount)),
    },
    {
      header: "Its kernel lacks",
      classes: "wide",
      cell: textCell((host) => host.missingFeatures.join("; ") || "nothing"),
    },
    { header: "Change", classes: "actions", cell: () => retireCell(context) },
  ]);
}

function retireCell({ rest, state }: Context): View<Host> {
  let shown = "";
  const root = button("quiet-button", "Retire", () => retireHost(rest, shown));
  return {
    root,
    update: ({ id, connected }) => {
      shown = id;
      root.setAttribute("aria-label", `Retire host ${id}`);
      root.hidden = connected || !retiresHosts(state.access);
    },
  };
}
