/** What stands where a text should: itself if it is one, else nothing. A stored body may have any shape, whatever its type says. */
export function storedText(value: unknown): string {
  return typeof value === "string" ? value : "";
}
