// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { Names } from "../src/names";
import { S1, S2, twoSwitches } from "./builders";

it("names ports by what is connected to what", () => {
  const names = new Names(twoSwitches(), () => null);
  expect(names.ofPort(`${S1}/5`)).toBe("s1:5 -> switch 2");
  expect(names.ofPort(`${S2}/5`)).toBe("switch 2:5 -> s1");
  expect(names.ofPort(`${S1}/1`)).toBe("s1:1 -> h1");
  expect(names.ofPort(`${S1}/9`)).toBe("s1:9");
  expect(names.ofPort("host:h1/vm0")).toBe("what h1/vm0 receives");
});

it("counts the hosts behind one port", () => {
  const topology = twoSwitches();
  topology.attachments.push(
    { host: "h2", port: { datapath: S1, number: 1 } },
    { host: null, port: { datapath: S1, number: 2 } },
  );
  const names = new Names(topology, () => null);
  expect(names.ofPort(`${S1}/1`)).toBe("s1:1 -> h1 +1");
  expect(names.ofPort(`${S1}/2`)).toBe("s1:2");
});

it("does without a topology", () => {
  const names = new Names(undefined, () => null);
  expect(names.ofPort("of:00000000000000ab/5")).toBe("switch ab:5");
  expect(names.ofSwitch("something else")).toBe("something else");
});

it("puts names into sentences in the place of ids", () => {
  const names = new Names(twoSwitches(), () => null);
  expect(names.inText(`${S1}/5 is full, ${S2} is lost; host:h1/vm0.`)).toBe(
    "s1:5 -> switch 2 is full, switch 2 is lost; what h1/vm0 receives.",
  );
  expect(names.inText(`Port s1:eth5 -> s2 +1 (${S1}/5) carries 50 Mbit/s (of 50).`)).toBe(
    "Port s1:5 -> switch 2 carries 50 Mbit/s (of 50).",
  );
});

it("takes the controller's names of ports", () => {
  const names = new Names(twoSwitches(), (id) => (id === `${S1}/5` ? "s1:eth5 -> s2" : null));
  expect(names.ofPort(`${S1}/5`)).toBe("s1:eth5 -> s2");
  expect(names.ofPort(`${S1}/1`)).toBe("s1:1 -> h1");
  expect(names.inText(`Port s1:eth5 -> s2 (${S1}/5) and s1:2 (${S1}/2).`)).toBe(
    "Port s1:eth5 -> s2 and s1:2.",
  );
});
