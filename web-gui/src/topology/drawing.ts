// SPDX-License-Identifier: Apache-2.0
import { select } from "d3-selection";
import { zoom, zoomIdentity, type D3ZoomEvent } from "d3-zoom";
import type { Context } from "../context";
import { setAttribute, setText, shape } from "../dom";
import { count } from "../format";
import type { Port, Topology } from "../model";
import type { Target } from "../router";
import {
  hostsClass,
  hostsText,
  LINK_CLASSES,
  linkClass,
  linkLabel,
  linkText,
  statesOfHosts,
  together,
  type LinkClass,
} from "../view/topology";
import {
  HOST_HEIGHT,
  labelPlace,
  layout,
  SWITCH_HEIGHT,
  SWITCH_WIDTH,
  type Layout,
  type PlacedHosts,
  type PlacedLink,
  type PlacedSwitch,
  type Point,
} from "./layout";
import { distanceTo, nextTo } from "./moves";

/** Up to so many hosts each is drawn by itself. */
const FEW_HOSTS = 24;
/** Beyond that, labels would cover what they are about. */
const MOST_LABELS = 12;
const NEAR = 8;
const MOST_ZOOM = 8;
const MOST_MAGNIFIED = 1.4;

/** Something in the drawing that can be focused and opened. */
interface Mark extends Point {
  root: SVGGElement;
  press(): void;
}

/**
 * The drawing of the network. Of the many links that are quiet each class is one path; those that need attention
 * are marks of their own.
 */
export class Drawing {
  readonly root: SVGSVGElement;
  private readonly content = shape("g");
  private readonly quietLinks = new Map(
    LINK_CLASSES.map((name) => [name, shape("path", { class: `link ${name}` })]),
  );
  private readonly linkLayer = shape("g");
  private readonly hotLayer = shape("g");
  private readonly markLayer = shape("g");
  private readonly zooming = zoom<SVGSVGElement, unknown>();
  private readonly expanded = new Set<string>();
  private readonly classes = new Map<string, LinkClass>();
  private readonly hot = new Map<string, { mark: Mark; update(port: Port): void }>();
  private updaters: (() => void)[] = [];
  private marks: Mark[] = [];
  private drawn: Topology | undefined;
  private placed: Layout = { width: 1, height: 1, switches: [], hosts: [], links: [] };

  constructor(private readonly context: Context) {
    this.root = shape("svg", { class: "topology", role: "group", "aria-label": "Topology" });
    this.linkLayer.append(...this.quietLinks.values());
    this.content.append(this.linkLayer, this.hotLayer, this.markLayer);
    this.root.append(this.content);
    this.root.addEventListener("keydown", (event) => this.key(event));
    this.root.addEventListener("click", (event) => this.openLinkAt(event));
    this.zooming
      .scaleExtent([1, MOST_ZOOM])
      // The wheel and one finger are for the page to scroll.
      .filter((event: Event) =>
        event instanceof WheelEvent
          ? event.ctrlKey || event.metaKey
          : event.type === "touchstart"
            ? (event as TouchEvent).touches.length > 1
            : !(event instanceof MouseEvent && event.button !== 0),
      )
      .on("zoom", (event: D3ZoomEvent<SVGSVGElement, unknown>) => {
        this.content.setAttribute("transform", event.transform.toString());
      });
    select(this.root).call(this.zooming).on("dblclick.zoom", null);
  }

  zoomBy(factor: number): void {
    this.zooming.scaleBy(select(this.root), factor);
  }

  fit(): void {
    this.zooming.transform(select(this.root), zoomIdentity);
  }

  update(topology: Topology): void {
    if (topology !== this.drawn) {
      this.drawn = topology;
      this.draw(topology);
    }
    this.updateLinks();
    for (const update of this.updaters) {
      update();
    }
  }

  private draw(topology: Topology): void {
    const hosts = new Set(topology.attachments.map(({ host }) => host)).size;
    this.placed = layout(topology, (id) => hosts <= FEW_HOSTS || this.expanded.has(id));
    const { width, height, switches } = this.placed;
    setAttribute(this.root, "viewBox", `0 0 ${String(width)} ${String(height)}`);
    // A small network need not fill the page.
    this.root.style.maxWidth = `${String(MOST_MAGNIFIED * width)}px`;
    this.zooming.extent([
      [0, 0],
      [width, height],
    ]);
    this.zooming.translateExtent([
      [0, 0],
      [width, height],
    ]);
    this.classes.clear();
    this.hot.clear();
    this.hotLayer.replaceChildren();
    this.updaters = [];
    const focused = this.marks.find(({ root }) => root === document.activeElement);
    this.marks = [];
    const canExpand = hosts > FEW_HOSTS;
    this.markLayer.replaceChildren(
      ...switches.map((each) => this.switchMark(each)),
      ...this.placed.hosts.map((each) => this.hostsMark(each, canExpand)),
    );
    const again = focused === undefined ? -1 : this.nearestMark(focused);
    this.rove(this.marks[again] ?? this.marks[0], again >= 0);
  }

  private switchMark({ id, available, x, y }: PlacedSwitch): SVGGElement {
    const { names } = this.context;
    const state = available ? "" : ", not connected";
    const root = shape(
      "g",
      {
        class: available ? "node switch" : "node switch lost",
        "aria-label": `Switch ${names.ofSwitch(id)}${state}`,
      },
      box(x, y, SWITCH_WIDTH, SWITCH_HEIGHT, 4),
      label(x, y, names.ofSwitch(id)),
    );
    this.addMark(root, { x, y }, { kind: "switch", id });
    return root;
  }

  private hostsMark(placed: PlacedHosts, canExpand: boolean): SVGGElement {
    const { id, hosts, x, y, width } = placed;
    const [first = ""] = hosts;
    const isOne = hosts.length === 1;
    const name = isOne ? first : `${count(hosts.length)} hosts`;
    const root = shape("g", {}, box(x, y, width, HOST_HEIGHT, HOST_HEIGHT / 2), label(x, y, name));
    const sign = shape("text", {
      class: "sign",
      x: x + width / 2 - 2,
      y: y - HOST_HEIGHT / 2 + 3,
      "aria-hidden": "true",
    });
    root.append(sign);
    this.updaters.push(() => {
      const state = together(hosts.map((host) => this.hostStates().get(host)));
      const kind = hostsClass(state);
      setAttribute(root, "class", `node hosts ${kind}`);
      setAttribute(root, "aria-label", hostsText(isOne ? `Host ${name}` : name, state));
      setText(
        sign,
        state.heldBack > 0 ? `▼${state.heldBack > 1 ? count(state.heldBack) : ""}` : "",
      );
    });
    if (isOne && !(canExpand && this.expanded.has(id))) {
      this.addMark(root, { x, y }, { kind: "host", id: first });
    } else if (isOne) {
      this.addMark(root, { x, y }, { kind: "host", id: first });
    } else {
      this.addMark(root, { x, y }, () => this.expand(id));
      root.setAttribute("aria-expanded", "false");
    }
    return root;
  }

  /** Draws the hosts of a switch one by one, and opens the switch. */
  private expand(id: string): void {
    this.expanded.add(id);
    if (this.drawn !== undefined) {
      this.draw(this.drawn);
      this.update(this.drawn);
    }
    this.context.open({ kind: "switch", id });
  }

  private states: ReturnType<typeof statesOfHosts> | undefined;

  private hostStates(): ReturnType<typeof statesOfHosts> {
    this.states ??= statesOfHosts(this.context.state, (id) =>
      this.context.recorder.dropsPerSecond(id),
    );
    return this.states;
  }

  private updateLinks(): void {
    this.states = undefined;
    const changed = new Set<LinkClass>();
    for (const { port } of this.placed.links) {
      const now = linkClass(this.context.state.ports.get(port));
      const before = this.classes.get(port);
      if (now !== before) {
        this.classes.set(port, now);
        changed.add(now);
        if (before !== undefined) {
          changed.add(before);
        }
      }
    }
    for (const name of changed) {
      const path = this.placed.links
        .filter(({ port }) => this.classes.get(port) === name)
        .map(({ from, to }) => line(from, to))
        .join("");
      this.quietLinks.get(name)?.setAttribute("d", path);
    }
    this.updateHotLinks();
  }

  /** What is congested or busy gets a label and can be focused. */
  private updateHotLinks(): void {
    const hot = this.placed.links
      .map((link) => ({ link, port: this.context.state.ports.get(link.port) }))
      .filter((each): each is { link: PlacedLink; port: Port } => {
        const name = this.classes.get(each.link.port);
        return each.port !== undefined && (name === "congested" || name === "busy");
      });
    const wanted = new Set(hot.map(({ link }) => link.port));
    for (const [port, { mark }] of this.hot) {
      if (!wanted.has(port)) {
        this.hot.delete(port);
        this.removeMark(mark);
      }
    }
    const severe = (port: Port) => Number(port.congested);
    hot.sort((a, b) => severe(b.port) - severe(a.port));
    hot.forEach(({ link, port }, i) => {
      let shown = this.hot.get(link.port);
      if (shown === undefined) {
        shown = this.hotMark(link);
        this.hot.set(link.port, shown);
      }
      shown.update(port);
      shown.mark.root.classList.toggle("unlabelled", i >= MOST_LABELS);
    });
  }

  private hotMark(link: PlacedLink): { mark: Mark; update(port: Port): void } {
    const { from, to } = link;
    const { anchor, ...at } = labelPlace(link);
    const text = shape("text", { x: at.x, y: at.y, class: `link-label ${anchor}` });
    const root = shape(
      "g",
      {},
      shape("path", { class: "hit", d: line(from, to) }),
      shape("path", { class: "focus-line", d: line(from, to) }),
      text,
    );
    const mark = this.addMark(root, at, { kind: "port", id: link.port });
    this.hotLayer.append(root);
    return {
      mark,
      update: (port) => {
        setAttribute(root, "class", `hot ${linkClass(port)}`);
        setText(text, linkLabel(port));
        setAttribute(root, "aria-label", linkText(this.context.names.ofPort(port.id), port));
      },
    };
  }

  private addMark(root: SVGGElement, at: Point, target: Target | (() => void)): Mark {
    const press = typeof target === "function" ? target : () => this.context.open(target);
    const mark = { root, press, ...at };
    root.setAttribute("role", "button");
    root.setAttribute("tabindex", this.marks.length === 0 ? "0" : "-1");
    root.addEventListener("click", (event) => {
      event.stopPropagation();
      this.rove(mark, true);
      press();
    });
    this.marks.push(mark);
    return mark;
  }

  private removeMark(mark: Mark): void {
    const hadFocus = mark.root === document.activeElement;
    const wasReachable = mark.root.getAttribute("tabindex") === "0";
    mark.root.remove();
    this.marks = this.marks.filter((each) => each !== mark);
    if (wasReachable) {
      this.rove(this.marks[this.nearestMark(mark)], hadFocus);
    }
  }

  private nearestMark(to: Point): number {
    let best = -1;
    let least = Infinity;
    this.marks.forEach(({ x, y }, i) => {
      const distance = Math.hypot(x - to.x, y - to.y);
      if (distance < least) {
        least = distance;
        best = i;
      }
    });
    return best;
  }

  /** Of all marks one can be reached by Tab; arrow keys go on from there. */
  private rove(to: Mark | undefined, focus: boolean): void {
    if (to === undefined) {
      return;
    }
    for (const { root } of this.marks) {
      setAttribute(root, "tabindex", root === to.root ? "0" : "-1");
    }
    if (focus) {
      to.root.focus({ preventScroll: true });
    }
  }

  private key(event: KeyboardEvent): void {
    const here = this.marks.find(({ root }) => root === document.activeElement);
    if (here === undefined) {
      return;
    }
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      here.press();
      return;
    }
    const next = nextTo(here, event.key, this.marks);
    if (next !== undefined) {
      event.preventDefault();
      this.rove(this.marks[next], true);
    }
  }

  /** Quiet links are no marks, but a click finds them, too. */
  private openLinkAt(event: MouseEvent): void {
    const matrix = this.content.getScreenCTM();
    if (matrix === null) {
      return;
    }
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    const near = NEAR / matrix.a;
    const [first] = this.placed.links
      .map(({ port, from, to }) => ({ port, distance: distanceTo(point, from, to) }))
      .filter(({ distance }) => distance <= near)
      .sort((a, b) => a.distance - b.distance);
    if (first !== undefined) {
      this.context.open({ kind: "port", id: first.port });
    }
  }
}

function line(from: Point, to: Point): string {
  return `M${from.x.toFixed(1)} ${from.y.toFixed(1)}L${to.x.toFixed(1)} ${to.y.toFixed(1)}`;
}

function box(x: number, y: number, width: number, height: number, radius: number): SVGRectElement {
  return shape("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: radius });
}

function label(x: number, y: number, text: string): SVGTextElement {
  return shape("text", { x, y }, text);
}
