// SPDX-License-Identifier: Apache-2.0
import { element, KeyedList, setAttribute, setText, shape, type View } from "../dom";
import { clockTime } from "../format";
import type { Flow } from "../model";
import { flowStateText, flowText, isOpen, wasPromised } from "../view/flows";

const PAST_MILLIS = 240_000;
const AHEAD_MILLIS = 60_000;
const NAMES_WIDTH = 90;
const LANE = 22;
const TOP = 6;
const FOOT = 20;
const TICK_MILLIS = 60_000;

/** A deadline on the time line. */
export interface Due {
  flow: Flow;
  /** Its lane, from 0 on. */
  lane: number;
  /** Where on the line of time, 0 to 1. */
  part: number;
  kind: "met" | "missed" | "broken" | "open";
}

/** The deadlines of the last minutes and the next one, a lane for each tenant. */
export function duesOf(flows: Iterable<Flow>, now: number): { tenants: string[]; dues: Due[] } {
  const near = [...flows].filter(({ deadline, state }) => {
    const due = Date.parse(deadline);
    const isShown = due > now - PAST_MILLIS && due < now + AHEAD_MILLIS;
    return isShown && state !== "removed" && state !== "never-sent" && state !== "closed-early";
  });
  const tenants = [...new Set(near.map(({ tenant }) => tenant))].sort();
  const dues = near.map((flow) => ({
    flow,
    lane: tenants.indexOf(flow.tenant),
    part: partOf(Date.parse(flow.deadline), now),
    kind: isOpen(flow)
      ? ("open" as const)
      : flow.state === "met"
        ? ("met" as const)
        : wasPromised(flow)
          ? ("broken" as const)
          : ("missed" as const),
  }));
  return { tenants, dues };
}

function partOf(instant: number, now: number): number {
  return (instant - now + PAST_MILLIS) / (PAST_MILLIS + AHEAD_MILLIS);
}

/** How each kind is drawn around its place. */
const SHAPES: Record<Due["kind"], string> = {
  met: "M-5 0L-2 4L5 -5",
  missed: "M-4 -4L4 4M4 -4L-4 4",
  broken: "M-4 -4L4 4M4 -4L-4 4",
  open: "M0 -5L5 0L0 5L-5 0Z",
};

/** Deadlines as marks on a line of time that moves to the left. */
export class Timeline {
  readonly root: HTMLElement;
  private readonly drawing = shape("svg", { class: "timeline", role: "img" });
  private readonly ticks = shape("g", { class: "ticks" });
  private readonly lanes = shape("g", { class: "lanes" });
  private readonly now = shape("path", { class: "now" });
  private readonly marks = shape("g");
  private readonly list = new KeyedList<Due>(
    this.marks,
    ({ flow }) => String(flow.id),
    () => this.dueView(),
  );
  private width = 600;

  constructor() {
    new ResizeObserver(([entry]) => {
      this.width = Math.max(200, entry?.contentRect.width ?? 0);
    }).observe(this.drawing);
    this.drawing.append(this.ticks, this.lanes, this.now, this.marks);
    this.root = element("div", "timeline-box", this.drawing, key());
  }

  update(flows: Iterable<Flow>, now: number): void {
    const { tenants, dues } = duesOf(flows, now);
    this.root.hidden = dues.length === 0;
    const height = TOP + Math.max(1, tenants.length) * LANE + FOOT;
    setAttribute(this.drawing, "viewBox", `0 0 ${String(this.width)} ${String(height)}`);
    const met = dues.filter(({ kind }) => kind === "met").length;
    const missed = dues.filter(({ kind }) => kind === "missed" || kind === "broken").length;
    setAttribute(
      this.drawing,
      "aria-label",
      `Deadlines of the last 4 minutes: ${String(met)} met, ${String(missed)} missed`,
    );
    this.list.update(dues);
    this.drawLanes(tenants);
    this.drawTicks(now, height);
    setAttribute(this.now, "d", `M${this.x(partOf(now, now))} 0V${String(height - FOOT)}`);
  }

  private x(part: number): string {
    return (NAMES_WIDTH + part * (this.width - NAMES_WIDTH)).toFixed(1);
  }

  private dueView(): View<Due> {
    const title = shape("title");
    const path = shape("path");
    const root = shape("g", {}, title, path);
    return {
      root,
      update: ({ flow, lane, part, kind }) => {
        setAttribute(root, "class", `due ${kind}`);
        setAttribute(
          root,
          "transform",
          `translate(${this.x(part)} ${String(TOP + (lane + 0.5) * LANE)})`,
        );
        setAttribute(path, "d", SHAPES[kind]);
        setText(title, `${flowText(flow)}: ${flowStateText(flow)}`);
      },
    };
  }

  private drawLanes(tenants: readonly string[]): void {
    if (tenants.join() === [...this.lanes.children].map((each) => each.textContent).join()) {
      return;
    }
    this.lanes.replaceChildren(
      ...tenants.map((tenant, i) => shape("text", { x: 2, y: TOP + (i + 0.5) * LANE }, tenant)),
    );
  }

  private drawTicks(now: number, height: number): void {
    const first = Math.ceil((now - PAST_MILLIS) / TICK_MILLIS) * TICK_MILLIS;
    const count = Math.floor((PAST_MILLIS + AHEAD_MILLIS) / TICK_MILLIS);
    while (this.ticks.children.length < count) {
      this.ticks.append(shape("g", {}, shape("path"), shape("text")));
    }
    [...this.ticks.children].forEach((tick, i) => {
      const at = first + i * TICK_MILLIS;
      const x = this.x(partOf(at, now));
      const [rule, text] = tick.children;
      if (rule !== undefined && text !== undefined) {
        setAttribute(rule, "d", `M${x} 0V${String(height - FOOT)}`);
        setAttribute(text, "x", x);
        setAttribute(text, "y", String(height - 6));
        setText(text, clockTime(at));
      }
    });
  }
}

function key(): HTMLElement {
  const texts: [Due["kind"], string][] = [
    ["open", "to come"],
    ["met", "met"],
    ["missed", "missed, was not promised"],
    ["broken", "missed, was promised"],
  ];
  return element(
    "ul",
    "legend",
    ...texts.map(([kind, text]) =>
      element(
        "li",
        "",
        shape(
          "svg",
          { viewBox: "-7 -7 14 14", class: "legend-mark", "aria-hidden": "true" },
          shape("g", { class: `due ${kind}` }, shape("path", { d: SHAPES[kind] })),
        ),
        text,
      ),
    ),
  );
}
