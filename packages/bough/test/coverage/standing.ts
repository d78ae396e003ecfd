/** What waits for a part of bough that is not built yet. */
type Capability =
  | "blobs"
  | "catalog"
  | "databases"
  | "extensions"
  | "harness"
  | "html"
  | "import"
  | "session manager"
  | "terminal";

/** `tested`: a test's title begins with the id. `decided`: why bough does otherwise. */
export type Standing = "tested" | `waits: ${Capability}` | `decided: ${string}`;

export type Standings = Readonly<Record<string, Standing>>;
