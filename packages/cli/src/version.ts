import { readFileSync } from "node:fs";

export function version(): string {
  const manifest = new URL("../package.json", import.meta.url);
  return (JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string }).version;
}
