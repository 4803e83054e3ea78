// SPDX-License-Identifier: Apache-2.0
// The little that the page needs of a framework. Text goes in as text, never as markup.

type Child = Node | string;

const SVG = "http://www.w3.org/2000/svg";

/** A new element with classes and children. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  classes = "",
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (classes !== "") {
    made.className = classes;
  }
  made.append(...children);
  return made;
}

/** A new element of a drawing with attributes and children. */
export function shape<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Record<string, string | number> = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    made.setAttribute(name, String(value));
  }
  made.append(...children);
  return made;
}

/** A button that does something in the page. */
export function button(classes: string, text: string, press: () => void): HTMLButtonElement {
  const made = element("button", classes, text);
  made.type = "button";
  made.addEventListener("click", press);
  return made;
}

/** Replaces the text if it differs: what is selected stays selected while nothing changes. */
export function setText(node: Node, text: string): void {
  if (node.textContent !== text) {
    node.textContent = text;
  }
}

export function setClass(node: Element, classes: string): void {
  setAttribute(node, "class", classes);
}

export function setAttribute(node: Element, name: string, value: string): void {
  if (node.getAttribute(name) !== value) {
    node.setAttribute(name, value);
  }
}

/** The element of the page with an id. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) {
    throw new Error(`the page has no element ${id}`);
  }
  return found;
}

/** A part of the page that shows an item, and can show a newer state of it. */
export interface View<T> {
  root: Element;
  update(item: T): void;
}

/** Keeps one view per item inside a parent, in the items' order; a view follows its item's key. */
export class KeyedList<T> {
  private readonly views = new Map<string, View<T>>();

  constructor(
    private readonly parent: Element,
    private readonly key: (item: T) => string,
    private readonly make: () => View<T>,
  ) {}

  update(items: readonly T[]): void {
    const keys = new Set(items.map(this.key));
    for (const [key, view] of this.views) {
      if (!keys.has(key)) {
        view.root.remove();
        this.views.delete(key);
      }
    }
    items.forEach((item, i) => {
      const key = this.key(item);
      let view = this.views.get(key);
      if (view === undefined) {
        view = this.make();
        this.views.set(key, view);
      }
      view.update(item);
      const there = this.parent.children[i] ?? null;
      if (there !== view.root) {
        this.parent.insertBefore(view.root, there);
      }
    });
  }
}

/** Shows lines in a list, which keeps the items that stay. */
export function showLines(list: HTMLElement, lines: readonly string[]): void {
  while (list.children.length > lines.length) {
    list.lastElementChild?.remove();
  }
  lines.forEach((line, i) => {
    setText(list.children[i] ?? list.appendChild(element("li")), line);
  });
}
