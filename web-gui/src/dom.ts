// SPDX-License-Identifier: Apache-2.0
// The little that the page needs of a framework. Text goes in as text, never as markup.

type Child = Node | string;

/** A new element with classes, title and children. */
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

/** Replaces the text if it differs: what is selected stays selected while nothing changes. */
export function setText(node: Node, text: string): void {
  if (node.textContent !== text) {
    node.textContent = text;
  }
}

export function setClass(node: Element, classes: string): void {
  if (node.getAttribute("class") !== classes) {
    node.setAttribute("class", classes);
  }
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
