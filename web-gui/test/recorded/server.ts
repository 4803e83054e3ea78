// SPDX-License-Identifier: Apache-2.0
// A controller that is not there, to view the page and for its bench.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Plugin } from "vite";
import type { Kind } from "../../src/live/events";
import { EMPTY, Fabric, LARGE, SMALL, type Size } from "./fabric";

const ROOT = "/onos/sluice/v1/";
const SEED = 20;
const UPDATE_MILLIS = 200;
const SIZES: Record<string, Size> = { large: LARGE, small: SMALL, empty: EMPTY };

/** Serves REST and the stream of a recorded network; its size is RECORDED: large, small or empty. */
export function recorded(): Plugin {
  const fabric = new Fabric(SIZES[process.env["RECORDED"] ?? "large"] ?? LARGE, SEED, Date.now());
  const role = process.env["ROLE"] ?? "admin";
  const serve = (request: IncomingMessage, response: ServerResponse, next: () => void) => {
    const address = request.url ?? "";
    if (!address.startsWith(ROOT)) {
      next();
      return;
    }
    const [path = ""] = address.slice(ROOT.length).split("?");
    if (path === "stream") {
      stream(fabric, request, response);
      return;
    }
    const [status, body] = answer(fabric, role, request.method ?? "GET", decodeURIComponent(path));
    response.writeHead(status, { "Content-Type": "application/json" });
    response.end(JSON.stringify(body));
  };
  return {
    name: "recorded",
    configurePreviewServer: (server) => void server.middlewares.use(serve),
    configureServer: (server) => void server.middlewares.use(serve),
  };
}

function answer(fabric: Fabric, role: string, method: string, path: string): [number, unknown] {
  if (method !== "GET") {
    const field = method === "PUT" ? "id" : "weight";
    return [409, { detail: "This network is a recording", field, remedy: "Use another" }];
  }
  if (path === "access") {
    return [200, { role, tenants: [], registersDeadlines: role === "admin" }];
  }
  if (path === "ports/queues") {
    return [200, { queues: fabric.queues() }];
  }
  const why = /^endpoints\/(.*)\/why$/.exec(path)?.[1];
  const tenant = /^tenants\/(.*)$/.exec(path)?.[1];
  const found =
    why !== undefined ? fabric.why(why) : fabric.tenants.find(({ id }) => id === tenant);
  return found === undefined ? [404, { detail: "There is nothing here" }] : [200, found];
}

/** All that there is, and then what changes, five times a second. */
function stream(fabric: Fabric, request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
  const send = (kind: Kind, content: unknown) =>
    response.write(`event: ${kind}\ndata: ${JSON.stringify(content)}\n\n`);
  const all = <T>(rows: Iterable<T>) => ({ complete: true, rows: [...rows], gone: [] });
  const clock = () => send("time", { at: new Date().toISOString(), storeFault: null });
  send("topology", fabric.topology);
  send("tenants", { rows: fabric.tenants });
  send("hosts", { rows: fabric.hosts });
  send("findings", { rows: fabric.findings });
  send("ports", all(fabric.ports.values()));
  send("endpoints", all(fabric.endpoints.values()));
  send("flows", all(fabric.flows.values()));
  clock();
  const timers = [
    setInterval(() => {
      const { ports, endpoints, flows, journal } = fabric.step(Date.now());
      send("ports", ports);
      send("endpoints", endpoints);
      send("flows", flows);
      if (journal.length > 0) {
        send("journal", { complete: false, rows: journal });
      }
    }, UPDATE_MILLIS),
    setInterval(clock, 1000),
  ];
  request.on("close", () => timers.forEach(clearInterval));
}
