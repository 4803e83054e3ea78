// SPDX-License-Identifier: Apache-2.0
import { element, setText } from "../dom";

/** Names and values, one below the other. */
export class Facts {
  readonly root = element("dl", "facts");

  update(facts: readonly (readonly [string, string])[]): void {
    while (this.root.children.length > 2 * facts.length) {
      this.root.lastElementChild?.remove();
    }
    facts.forEach(([name, value], i) => {
      setText(this.root.children[2 * i] ?? this.root.appendChild(element("dt")), name);
      setText(this.root.children[2 * i + 1] ?? this.root.appendChild(element("dd")), value);
    });
  }
}
