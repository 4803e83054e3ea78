// SPDX-License-Identifier: Apache-2.0
import type { Explanation } from "./model";

const TIMEOUT_MILLIS = 5000;

/** An RFC 9457 problem document: what was refused, where, and what to do instead. */
export interface Problem {
  type?: string;
  detail: string;
  field?: string;
  remedy?: string;
  /** Of a deadline that cannot be met: the earliest that could be; null: none. */
  earliestMillis?: number | null;
}

/** Why there is no answer, or a refusal, for the operator. */
export class Unavailable extends Error {
  constructor(
    message: string,
    readonly status = 0,
    readonly problem: Problem | undefined = undefined,
  ) {
    super(message);
  }
}

/** Where the REST interface is, seen from the address of the page. */
export function restRoot(pagePath: string): string {
  return pagePath.replace(/\/(?:ui(?:\/.*)?)?$/, "") + "/v1/";
}

/** The problem document in a body; undefined: there is none. */
export function problemOf(body: unknown): Problem | undefined {
  return typeof body === "object" &&
    body !== null &&
    "detail" in body &&
    typeof body.detail === "string"
    ? (body as Problem)
    : undefined;
}

/** What to do instead, on the page: some remedies are in the words of the REST interface. */
function remedyOf({ type, earliestMillis, remedy }: Problem): string | undefined {
  switch (type) {
    case "urn:sluice:problem:cannot-be-met":
      return typeof earliestMillis === "number"
        ? `Register it due in ${String(Math.ceil(earliestMillis))} ms or later, or without promise`
        : "Register it later, or without promise";
    case "urn:sluice:problem:unconfirmed":
      return "Press the button once more to do it all the same";
    default:
      return remedy;
  }
}

/** The sentence of a problem document, or else the status. */
export function problemText(status: number, body: unknown): string {
  const problem = problemOf(body);
  if (problem === undefined) {
    return status === 401 || status === 403
      ? "This user may not read it."
      : `The controller answered with status ${String(status)}.`;
  }
  const { detail } = problem;
  const remedy = remedyOf(problem);
  return remedy === undefined ? detail : `${detail}. ${remedy}.`;
}

/** What was read, and by what tag its present state is known. */
export interface Tagged<T> {
  value: T;
  /** Null where the controller gives none. */
  tag: string | null;
}

/** The controller's REST interface. */
export class Rest {
  private clockAheadMillis = 0;
  /** Why the cluster's store does not answer the controller, as its last answer showed it. */
  storeFault: string | null = null;

  constructor(readonly root: string) {}

  /** The controller's clock, to the second, as its last answer showed it. */
  controllerTime(): number {
    return Date.now() + this.clockAheadMillis;
  }

  /**
   * Reads a resource.
   *
   * @throws Unavailable if there is no answer, or a refusal
   */
  async read<T>(path: string, signal?: AbortSignal): Promise<T> {
    return (await this.readTagged<T>(path, signal)).value;
  }

  async readTagged<T>(path: string, signal?: AbortSignal): Promise<Tagged<T>> {
    const [response, body] = await this.exchange(path, signal === undefined ? {} : { signal });
    return { value: body as T, tag: response.headers.get("ETag") };
  }

  /**
   * Changes a resource.
   *
   * @param tag the state that the change is meant for; null: any
   * @throws Unavailable if there is no answer, or a refusal
   */
  async change(
    method: "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    body: unknown,
    tag: string | null = null,
  ): Promise<unknown> {
    return this.send(method, path, body, tag === null ? {} : { "If-Match": tag });
  }

  /**
   * Creates a resource where there is none.
   *
   * @throws Unavailable if there is no answer, or a refusal
   */
  async create(path: string, body: unknown): Promise<unknown> {
    return this.send("PUT", path, body, { "If-None-Match": "*" });
  }

  private async send(
    method: string,
    path: string,
    body: unknown,
    conditions: Record<string, string>,
  ): Promise<unknown> {
    // Pages of another origin cannot send it: without it nothing is changed.
    const headers: Record<string, string> = { "X-Requested-With": "sluice", ...conditions };
    if (body !== undefined) {
      headers["Content-Type"] = "application/json";
    }
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    return (await this.exchange(path, { method, headers, ...content }))[1];
  }

  /** Why an endpoint gets no more than it does. */
  readExplanation(endpoint: string): Promise<Explanation> {
    return this.read<Explanation>(`endpoints/${pathOf(endpoint)}/why`);
  }

  /** The status that a stream is refused with, and why; it is not read. */
  async probe(path: string): Promise<{ status: number; why: string }> {
    const stopping = new AbortController();
    try {
      const response = await fetch(this.root + path, { signal: stopping.signal });
      const why = response.ok
        ? ""
        : problemText(response.status, await response.json().catch(() => undefined));
      return { status: response.status, why };
    } catch {
      return { status: 0, why: "The controller does not answer." };
    } finally {
      stopping.abort();
    }
  }

  private async exchange(path: string, request: RequestInit): Promise<[Response, unknown]> {
    const { signal: given } = request;
    const timeout = AbortSignal.timeout(TIMEOUT_MILLIS);
    const signal = given instanceof AbortSignal ? AbortSignal.any([given, timeout]) : timeout;
    const headers = { Accept: "application/json", ...(request.headers as object) };
    let response: Response;
    try {
      response = await fetch(this.root + path, { ...request, signal, headers });
    } catch {
      throw new Unavailable("The controller does not answer.");
    }
    const date = Date.parse(response.headers.get("Date") ?? "");
    if (!Number.isNaN(date)) {
      this.clockAheadMillis = date - Date.now();
    }
    this.storeFault = response.headers.get("Sluice-Cut-Off");
    const body: unknown = await response.json().catch(() => undefined);
    if (!response.ok) {
      const text = problemText(response.status, body);
      throw new Unavailable(text, response.status, problemOf(body));
    }
    return [response, body];
  }
}

/** An id of several parts in an address. */
export function pathOf(id: string): string {
  return id.split("/").map(encodeURIComponent).join("/");
}
