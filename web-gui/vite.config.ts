// SPDX-License-Identifier: Apache-2.0
import { defineConfig } from "vitest/config";

export default defineConfig({
  // The page asks for everything relative to where it was served from.
  base: "./",
  build: { outDir: "target/page", emptyOutDir: true, assetsInlineLimit: 0, target: "es2022" },
  test: { include: ["test/**/*.test.ts"] },
});
