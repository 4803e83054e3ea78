// SPDX-License-Identifier: Apache-2.0
import { element, KeyedList, setClass, setText, type View } from "./dom";
import { linePath } from "./history";

const SVG = "http://www.w3.org/2000/svg";
const LINE_WIDTH = 120;
const LINE_HEIGHT = 24;

/** A column of a table: its header, and what makes its cells. */
export interface Column<T> {
  header: string;
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
        fill.style.width = `${(100 * share(item)).toFixed(1)}%`;
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
    const root = document.createElementNS(SVG, "svg");
    root.setAttribute("class", "line");
    root.setAttribute("viewBox", `0 -1 ${String(LINE_WIDTH)} ${String(LINE_HEIGHT + 2)}`);
    root.setAttribute("aria-hidden", "true");
    const path = document.createElementNS(SVG, "path");
    root.append(path);
    return {
      root,
      update: (item) => {
        path.setAttribute("d", linePath(values(item), length, top(item), LINE_WIDTH, LINE_HEIGHT));
      },
    };
  };
}

/** A table under a heading; a sentence in its place when there is nothing. */
export function tableView<T>(
  section: Element,
  heading: string,
  nothing: string,
  key: (item: T) => string,
  columns: Column<T>[],
): (items: readonly T[]) => void {
  const count = element("span", "count");
  const body = element("tbody");
  const head = element("tr");
  for (const column of columns) {
    const cell = element("th", column.classes ?? "", column.header);
    cell.scope = "col";
    head.append(cell);
  }
  const table = element("table", "", element("thead", "", head), body);
  const empty = element("p", "nothing", nothing);
  section.replaceChildren(
    element("h2", "", `${heading} `, count),
    element("div", "scroll", table),
    empty,
  );
  const rows = new KeyedList<T>(body, key, () => row(columns));
  return (items) => {
    setText(count, items.length === 0 ? "" : String(items.length));
    table.hidden = items.length === 0;
    empty.hidden = items.length > 0;
    rows.update(items);
  };
}

function row<T>(columns: Column<T>[]): View<T> {
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
