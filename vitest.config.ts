import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["bough-source", "node", "import", "module", "default"] },
  ssr: { resolve: { conditions: ["bough-source", "node", "import", "module", "default"] } },
  test: {
    include: ["packages/*/test/**/*.test.ts"],
    testTimeout: 60_000,
    pool: "forks",
  },
});
