// SPDX-License-Identifier: Apache-2.0
import { type Problem, Unavailable } from "../api";
import { button, element } from "../dom";

/** One value that can be typed in. */
export interface Field {
  /** As REST names it: refusals are shown at the field that they name. */
  name: string;
  label: string;
  hint: string;
  value: string;
  required: boolean;
}

/**
 * What somebody wants to have done; throws Unavailable where the controller refuses.
 *
 * @param isConfirmed whether its consequences were shown, and are meant
 */
export type Submit = (values: ReadonlyMap<string, string>, isConfirmed: boolean) => Promise<void>;

/** A form in a dialog, with the controller's refusals shown where they belong. */
export class FormDialog {
  private readonly dialog = element("dialog");
  private readonly inputs = new Map<
    string,
    { label: string; input: HTMLInputElement; error: HTMLElement }
  >();
  private readonly problem = element("p", "problem");
  private readonly submitButton: HTMLButtonElement;
  private isConfirmed = false;

  /**
   * Opens it.
   *
   * @param instead a second thing that can be done with the values, in other words
   */
  constructor(
    heading: string,
    explanation: string,
    fields: readonly Field[],
    private readonly submitText: string,
    private readonly submit: Submit,
    instead?: { text: string; submit: Submit },
  ) {
    this.problem.setAttribute("role", "alert");
    this.submitButton = element("button", "primary-button", submitText);
    this.submitButton.type = "submit";
    const form = element(
      "form",
      "",
      element("h2", "", heading),
      element("p", "quiet-text", explanation),
      ...fields.map((field) => this.fieldView(field)),
      this.problem,
      element(
        "div",
        "buttons",
        button("plain-button", "Cancel", () => this.dialog.close()),
        ...(instead === undefined
          ? []
          : [button("plain-button", instead.text, () => void this.send(instead.submit))]),
        this.submitButton,
      ),
    );
    // The controller validates: its problem names what is wrong and the remedy.
    form.noValidate = true;
    form.addEventListener("input", () => this.setConfirmed(false));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.send(this.submit);
    });
    this.dialog.setAttribute("aria-label", heading);
    this.dialog.append(form);
    this.dialog.addEventListener("close", () => this.dialog.remove());
    document.body.append(this.dialog);
    this.dialog.showModal();
  }

  private fieldView({ name, label, hint, value, required }: Field): HTMLElement {
    const input = element("input");
    input.id = `field-${name}`;
    input.value = value;
    input.required = required;
    input.autocomplete = "off";
    const hintText = element("span", "hint", hint);
    hintText.id = `hint-${name}`;
    const error = element("span", "field-error");
    error.id = `error-${name}`;
    input.setAttribute("aria-describedby", `${error.id} ${hintText.id}`);
    const caption = element("label", "", label);
    caption.htmlFor = input.id;
    this.inputs.set(name, { label, input, error });
    return element("div", "field", caption, input, hintText, error);
  }

  private async send(submit: Submit): Promise<void> {
    this.clear();
    const values = new Map([...this.inputs].map(([name, { input }]) => [name, input.value.trim()]));
    this.submitButton.disabled = true;
    try {
      this.requireAll();
      await submit(values, this.isConfirmed);
      this.dialog.close();
    } catch (error) {
      this.show(error);
    } finally {
      this.submitButton.disabled = false;
    }
  }

  /** The controller would say what its interface misses, and not what the form does. */
  private requireAll(): void {
    for (const [name, { label, input }] of this.inputs) {
      if (input.required && input.value.trim() === "") {
        throw refused(name, `${label} is missing.`);
      }
    }
  }

  /** Whether the next attempt is made with its consequences shown. */
  private setConfirmed(isConfirmed: boolean): void {
    this.isConfirmed = isConfirmed;
    this.submitButton.textContent = this.submitText + (isConfirmed ? " all the same" : "");
  }

  private clear(): void {
    this.problem.textContent = "";
    for (const { input, error } of this.inputs.values()) {
      error.textContent = "";
      input.removeAttribute("aria-invalid");
    }
  }

  private show(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    const problem = error instanceof Unavailable ? error.problem : undefined;
    this.setConfirmed(needsConfirmation(problem));
    const field = problem?.field;
    const there = field === undefined ? undefined : this.inputs.get(fieldOf(field));
    if (there === undefined) {
      this.problem.textContent = message;
      return;
    }
    there.error.textContent = message;
    there.input.setAttribute("aria-invalid", "true");
    there.input.focus();
  }
}

/** Whether it is refused only until its consequences are confirmed. */
export function needsConfirmation(problem: Problem | undefined): boolean {
  return problem?.type === "urn:sluice:problem:unconfirmed";
}

/** What has to be typed anew where a part of it is refused: members, of members[0].weight. */
export function fieldOf(refused: string): string {
  return refused.replace(/[.[/].*$/, "");
}

/** Digits alone: whoever types 1e3 may mean 1 or 1000, and would find out once it is in force. */
const PLAIN_NUMBER = /^[+-]?\d*[.,]?\d+$/;

/**
 * A number as the controller takes it; null: none.
 *
 * @param exponent of the unit that it is typed in: 4.1 times a million is not 4100000
 * @throws Unavailable if something else was typed into the field
 */
export function numberOf(text: string, field: string, exponent = 0): number | null {
  if (text === "") {
    return null;
  }
  if (!PLAIN_NUMBER.test(text)) {
    throw refused(field, `${text} is no plain number. Use digits, such as 1000 or 2.5.`);
  }
  return Number(`${text.replace(",", ".")}e${String(exponent)}`);
}

/** A refusal of what was typed into a field. */
export function refused(field: string, detail: string): Unavailable {
  return new Unavailable(detail, 0, { detail, field });
}
