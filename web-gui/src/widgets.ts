// SPDX-License-Identifier: Apache-2.0
import type { Context } from "./context";
import {
  button,
  element,
  KeyedList,
  setAttribute,
  setClass,
  setText,
  shape,
  type View,
} from "./dom";
import { count } from "./format";
import { linePath } from "./live/history";
import type { Target } from "./router";

const LINE_WIDTH = 120;
const LINE_HEIGHT = 22;
const ROWS_AT_FIRST = 50;

/** A column of a table: its header, and what makes its cells. */
export interface Column<T> {
  header: string;
  /** `extra`: left out where there is little room; `number`: to the right. */
  classes?: string;
  cell: () => View<T>;
}

/** A cell of text. */
export function textCell<T>(text: (item: T) => string, classes = ""): () => View<T> {
  return () => {
    const root = element("span", classes);
    return { root, update: (item) => setText(root, text(item)) };
  };
}

/** A bar from the left, filled to a share of 0 to 1, with a text above it. */
export function barCell<T>(
  share: (item: T) => number,
  text: (item: T) => string,
  classes: (item: T) => string,
): () => View<T> {
  return () => {
    const label = element("span", "bar-label");
    const fill = element("span", "fill");
    const root = element("span", "bar", label, element("span", "track", fill));
    return {
      root,
      update: (item) => {
        setText(label, text(item));
        setClass(fill, `fill ${classes(item)}`);
        const width = `${(100 * share(item)).toFixed(1)}%`;
        if (fill.style.width !== width) {
          fill.style.width = width;
        }
      },
    };
  };
}

/** A line of the last values, as high as the greatest value that there may be. */
export function lineCell<T>(
  values: (item: T) => readonly number[],
  length: number,
  top: (item: T) => number,
): () => View<T> {
  return () => {
    const path = shape("path");
    const root = shape(
      "svg",
      {
        class: "line",
        viewBox: `0 -1 ${String(LINE_WIDTH)} ${String(LINE_HEIGHT + 2)}`,
        "aria-hidden": "true",
      },
      path,
    );
    return {
      root,
      update: (item) => {
        const line = linePath(values(item), length, top(item), LINE_WIDTH, LINE_HEIGHT);
        setAttribute(path, "d", line);
      },
    };
  };
}

/** A name that opens its details. */
export function targetCell<T>(
  context: Context,
  target: (item: T) => Target,
  text: (item: T) => string,
): () => View<T> {
  return () => {
    let shown: Target | undefined;
    const root = button("link-button", "", () => {
      if (shown !== undefined) {
        context.open(shown);
      }
    });
    return {
      root,
      update: (item) => {
        shown = target(item);
        setText(root, text(item));
      },
    };
  };
}

/** A tenant in its colour. */
export function tenantCell<T>(context: Context, tenant: (item: T) => string): () => View<T> {
  return () => {
    const root = element("span");
    return {
      root,
      update: (item) => {
        setClass(root, `chip ${context.colours.get(tenant(item)) ?? "tenant-default"}`);
        setText(root, tenant(item));
      },
    };
  };
}

/** A word that stands out by its severity; nothing where it is empty. */
export function badgeCell<T>(
  text: (item: T) => string,
  severity: (item: T) => string,
): () => View<T> {
  return () => {
    const root = element("span");
    return {
      root,
      update: (item) => {
        const shown = text(item);
        setClass(root, shown === "" ? "" : `badge ${severity(item)}`);
        setText(root, shown);
      },
    };
  };
}

/** Shows some of the items, the first ones, and more at a press of a button. */
export interface Table<T> {
  root: HTMLElement;
  update(items: readonly T[]): void;
}

/**
 * A table with a sentence in its place when there is nothing. Of many rows it shows the first: whoever
 * calls puts the important ones there.
 */
export function table<T>(
  label: string,
  nothing: string,
  key: (item: T) => string,
  columns: readonly Column<T>[],
): Table<T> {
  const body = element("tbody");
  const head = element("tr");
  for (const column of columns) {
    const cell = element("th", column.classes ?? "", column.header);
    cell.scope = "col";
    head.append(cell);
  }
  const grid = element("table", "", element("thead", "", head), body);
  const scroll = element("div", "scroll", grid);
  // A scroll region that the keyboard cannot reach does not scroll without a mouse.
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", label);
  const empty = element("p", "nothing", nothing);
  let limit = ROWS_AT_FIRST;
  let shown: readonly T[] = [];
  const more = button("quiet-button", "", () => {
    limit *= 2;
    update(shown);
  });
  const rows = new KeyedList<T>(body, key, () => row(columns));
  const update = (items: readonly T[]) => {
    shown = items;
    scroll.hidden = items.length === 0;
    empty.hidden = items.length > 0;
    more.hidden = items.length <= limit;
    setText(more, `Show more (${count(limit)} of ${count(items.length)} shown)`);
    rows.update(items.slice(0, limit));
  };
  return { root: element("div", "table", scroll, empty, more), update };
}

function row<T>(columns: readonly Column<T>[]): View<T> {
  const cells = columns.map((column) => column.cell());
  const root = element("tr");
  cells.forEach((cell, i) => {
    root.append(element("td", columns[i]?.classes ?? "", cell.root));
  });
  return {
    root,
    update: (item) => {
      for (const cell of cells) {
        cell.update(item);
      }
    },
  };
}

/** A heading with how many there are. */
export class CountedHeading {
  readonly root: HTMLElement;
  private readonly number = element("span", "count");

  constructor(text: string) {
    this.root = element("h2", "", `${text} `, this.number);
  }

  show(number: number): void {
    setText(this.number, number === 0 ? "" : count(number));
  }
}

/** A field of words to look for, and what is done when they change. */
export function filterField(label: string, changed: () => void): HTMLInputElement {
  const field = element("input", "filter");
  field.type = "search";
  field.placeholder = label;
  field.setAttribute("aria-label", label);
  field.autocomplete = "off";
  field.addEventListener("input", changed);
  return field;
}
