// SPDX-License-Identifier: Apache-2.0
import js from "@eslint/js";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["target/", "node_modules/"] },
  js.configs.recommended,
  ...tseslint.configs.strict,
);
