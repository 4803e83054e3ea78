// SPDX-License-Identifier: Apache-2.0
// Serves the built page beside a recorded network: npx vite preview --config test/recorded/vite.config.ts
import { defineConfig } from "vite";
import { recorded } from "./server";

export default defineConfig({
  base: "/onos/sluice/ui/",
  build: { outDir: "target/page" },
  plugins: [recorded()],
  server: { host: "127.0.0.1" },
  preview: { host: "127.0.0.1" },
});
