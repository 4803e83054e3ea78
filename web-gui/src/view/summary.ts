// SPDX-License-Identifier: Apache-2.0
import { count, percent } from "../format";
import type { State } from "../live/state";
import { seesNetwork } from "./access";
import { wasPromised } from "./flows";
import { agentSeverity } from "./hosts";
import type { Severity } from "./ports";

/** One figure of the summary, and the view that has more about it. */
export interface Figure {
  label: string;
  value: string;
  severity: Severity;
  view: string;
}

/** What an operator wants to see first. */
export function summary(state: State): Figure[] {
  const endpoints = heldBack(state);
  return seesNetwork(state.access)
    ? [...congestion(state), endpoints, deadlines(state), hosts(state), findings(state)]
    : [endpoints, deadlines(state)];
}

function congestion({ ports }: State): Figure[] {
  let congested = 0;
  let worst = 0;
  for (const port of ports.values()) {
    congested += Number(port.congested);
    worst = Math.max(worst, port.ceShare);
  }
  return [
    {
      label: "ports congested",
      value: `${count(congested)} / ${count(ports.size)}`,
      severity: congested > 0 ? "congested" : "quiet",
      view: "ports",
    },
    {
      label: "highest CE share",
      value: percent(worst),
      severity: worst > 0 ? "busy" : "quiet",
      view: "ports",
    },
  ];
}

function heldBack({ endpoints }: State): Figure {
  let held = 0;
  for (const endpoint of endpoints.values()) {
    held += Number(endpoint.heldBack);
  }
  return {
    label: "endpoints held back",
    value: `${count(held)} / ${count(endpoints.size)}`,
    severity: held > 0 ? "busy" : "quiet",
    view: "endpoints",
  };
}

function deadlines({ flows }: State): Figure {
  const judged = [...flows.values()].filter(({ state }) => state === "met" || state === "missed");
  const met = judged.filter(({ state }) => state === "met").length;
  const broken = judged.some((flow) => flow.state === "missed" && wasPromised(flow));
  return {
    label: "deadlines met lately",
    value: judged.length === 0 ? "–" : `${count(met)} / ${count(judged.length)}`,
    severity: broken ? "congested" : met < judged.length ? "busy" : "quiet",
    view: "deadlines",
  };
}

function hosts({ hosts }: State): Figure {
  const connected = hosts.filter((host) => host.connected).length;
  return {
    label: "hosts connected",
    value: `${count(connected)} / ${count(hosts.length)}`,
    severity: hosts.some((host) => agentSeverity(host) === "congested") ? "congested" : "quiet",
    view: "hosts",
  };
}

function findings({ findings }: State): Figure {
  const errors = findings.filter(({ severity }) => severity === "error").length;
  return {
    label: "findings",
    value: count(findings.length),
    severity: errors > 0 ? "congested" : findings.length > 0 ? "busy" : "quiet",
    view: "hosts",
  };
}
