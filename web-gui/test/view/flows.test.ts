// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { duesOf } from "../../src/charts/timeline";
import {
  arrivedShare,
  byUrgency,
  flowSeverity,
  flowStateText,
  flowText,
} from "../../src/view/flows";
import { flow } from "../builders";

it("puts urgent flows first, and of those that have ended the latest", () => {
  const at = (second: number) => `2026-01-01T00:00:0${String(second)}Z`;
  const flows = [
    flow({ id: 1, state: "met", deadline: at(1) }),
    flow({ id: 2, deadline: at(9) }),
    flow({ id: 3, state: "missed", deadline: at(2) }),
    flow({ id: 4, state: "waiting", deadline: at(5) }),
    flow({ id: 5, deadline: at(5) }),
  ];
  expect(byUrgency(flows).map((f) => f.id)).toEqual([4, 5, 2, 3, 1]);
});

it("distinguishes broken promises from deadlines that were never promised", () => {
  const severities = (["sending", "met", "missed"] as const).map((state) => [
    flowSeverity(flow({ state })),
    flowSeverity(flow({ state, promised: false })),
  ]);
  expect(severities).toEqual([
    ["quiet", "busy"],
    ["quiet", "busy"],
    ["congested", "busy"],
  ]);
  expect(flowStateText(flow({ state: "never-sent" }))).toBe("never sent");
  expect(flowStateText(flow({ promised: false }))).toBe("sending (not promised)");
  const lost = flow({ state: "missed", promised: false, promiseLost: true });
  expect(flowStateText(lost)).toBe("missed (promise lost)");
  expect(flowSeverity(lost)).toBe("congested");
});

it("shows a flow with its open ports, and what of it has arrived", () => {
  expect(flowText(flow())).toBe("10.0.0.1:* → 10.0.0.5:5001");
  expect(flowText(flow({ source: "fd00:0:0:0:0:0:0:1", sourcePort: 7 }))).toBe(
    "[fd00::1]:7 → 10.0.0.5:5001",
  );
  expect(arrivedShare(flow())).toBe(0.75);
  expect(arrivedShare(flow({ sizeBytes: 0 }))).toBe(0);
});

it("puts near deadlines on the time line, a lane for each tenant", () => {
  const now = Date.parse("2026-01-01T00:10:00Z");
  const due = (seconds: number) => new Date(now + seconds * 1000).toISOString();
  const { tenants, dues } = duesOf(
    [
      flow({ id: 1, tenant: "b", state: "met", deadline: due(-60) }),
      flow({ id: 2, tenant: "a", state: "missed", deadline: due(-120) }),
      flow({ id: 3, tenant: "a", state: "missed", promised: false, deadline: due(-180) }),
      flow({ id: 4, tenant: "a", deadline: due(30) }),
      flow({ id: 5, tenant: "c", state: "met", deadline: due(-3000) }),
      flow({ id: 6, tenant: "c", state: "removed", deadline: due(-5) }),
    ],
    now,
  );
  expect(tenants).toEqual(["a", "b"]);
  expect(dues.map(({ flow: { id }, lane, kind, part }) => [id, lane, kind, part])).toEqual([
    [1, 1, "met", 0.6],
    [2, 0, "broken", 0.4],
    [3, 0, "missed", 0.2],
    [4, 0, "open", 0.9],
  ]);
});
