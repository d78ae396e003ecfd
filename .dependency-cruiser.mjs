/** The layers of packages/bough/src. A folder may import itself, `errors.ts` and what its row names, nothing else. */
const mayImport = {
  entry: [],
  format: ["entry"],
  tree: ["entry"],
  context: ["entry", "tree"],
  outline: ["entry", "tree"],
  session: ["entry", "format", "tree", "context", "outline"],
  compaction: ["entry", "tree", "context", "outline", "session"],
  storage: ["entry", "format", "tree", "session"],
  "session-manager": ["entry", "format", "tree", "context", "session", "storage"],
  catalog: ["entry", "format", "tree", "outline", "session", "storage"],
  testing: ["entry", "format", "tree", "context", "session", "storage/memory"],
};

const source = "^packages/bough/src/";

const layers = Object.entries(mayImport).map(([folder, allowed]) => ({
  name: `${folder}-may-import`,
  severity: "error",
  from: { path: `${source}${folder}/` },
  to: { path: source, pathNot: [`${source}(${[folder, ...allowed].join("|")})/`, `${source}errors\\.ts$`] },
}));

export default {
  forbidden: [
    ...layers,
    {
      name: "storages-are-strangers",
      severity: "error",
      comment: "They share `files`, the calls of the file system.",
      from: { path: `${source}storage/([^/]+)/` },
      to: { path: `${source}storage/([^/]+)/`, pathNot: `${source}storage/($1|files)/` },
    },
    {
      name: "node-only-in-storages",
      comment: "Everything but the local storages, the synchronous face and the catalog runs in a browser too.",
      severity: "error",
      from: { path: source, pathNot: `${source}(storage/(files|jsonl|directory)|session-manager|catalog|testing)/` },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "by-the-front-doors",
      comment: "The harness and the command line use what everybody can import.",
      severity: "error",
      from: { path: "^packages/(harness|cli)/src/" },
      to: { path: source, pathNot: "/index\\.ts$" },
    },
    {
      name: "harness-below-cli",
      severity: "error",
      from: { path: "^packages/harness/src/" },
      to: { path: "^packages/cli/" },
    },
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "engine-without-dependencies",
      severity: "error",
      from: { path: source },
      to: { dependencyTypesNot: ["local", "core"] },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^packages/[^/]+/(dist|test)/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["bough-source", "import", "default"] },
  },
};
