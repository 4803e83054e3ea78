// SPDX-License-Identifier: Apache-2.0

/** Shows things of one kind in detail, one at a time. */
export interface Details {
  readonly root: HTMLElement;
  heading(id: string): string;
  update(id: string): void;
  /** It is no longer shown. */
  close(): void;
}
