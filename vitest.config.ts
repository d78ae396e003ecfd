import { defineConfig } from "vitest/config";

const conditions = ["bough-source", "node", "import", "module", "default"];

/** Modes: `campaign` makes the long tests long, `peers` runs what needs other programs installed on demand. */
export default defineConfig(({ mode }) => ({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: mode === "peers" ? ["packages/*/test/peers/*.peer.ts"] : ["packages/*/test/**/*.test.ts"],
    env: mode === "campaign" ? { BOUGH_CAMPAIGN: "1" } : {},
    testTimeout: mode === "test" ? 60_000 : 1_800_000,
    hookTimeout: mode === "peers" ? 600_000 : 60_000,
    pool: "forks",
  },
}));
