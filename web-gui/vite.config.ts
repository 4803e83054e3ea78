// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from "node:fs";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

/** What the build reads of package-lock.json. */
interface Lock {
  packages: Record<string, { version: string; dev?: boolean }>;
}

/** Puts the licences of the libraries that the page carries beside it, as they require. */
function licences(): Plugin {
  return {
    name: "licences",
    generateBundle() {
      const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as Lock;
      const source = Object.entries(packages)
        .filter(([path, { dev }]) => path !== "" && dev !== true)
        .map(([path, { version }]) => {
          const name = path.replace("node_modules/", "");
          return `${name} ${version}\n\n${readFileSync(`${path}/LICENSE`, "utf8")}`;
        })
        .join("\n----\n\n");
      this.emitFile({ type: "asset", fileName: "licences.txt", source });
    },
  };
}

export default defineConfig({
  // The page requests everything relative to where it was served from.
  base: "./",
  plugins: [licences()],
  build: { outDir: "target/page", emptyOutDir: true, assetsInlineLimit: 0, target: "es2022" },
  test: { include: ["test/**/*.test.ts"] },
});
