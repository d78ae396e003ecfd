/**
 * Whether two working directories are spelled alike, as far as spelling alone tells: what they lead to is not asked. It
 * is how stores compare them that have no file system.
 */
export function isSpelledAlike(a: string, b: string, platform?: string): boolean {
  return (
    a === b || comparable(normalizePath(a, platform), platform) === comparable(normalizePath(b, platform), platform)
  );
}

/** One spelling a path: composed Unicode, no trailing separator; of a Windows path one prefix, slash and drive case too. */
export function normalizePath(path: string, platform?: string): string {
  const composed = path.normalize("NFC");
  if (!isWindowsPath(composed, platform)) return composed.replace(/(?<=.)\/+$/, "");
  return composed
    .replace(/\//g, "\\")
    .replace(/^\\\\[?.]\\UNC\\/i, "\\\\")
    .replace(/^\\\\[?.]\\/, "")
    .replace(/(?<=.)\\+/g, "\\")
    .replace(/^[a-z](?=:)/, (drive) => drive.toUpperCase())
    .replace(/(?<=[^:\\])\\$/, "");
}

/** By its form, so that sessions of a Windows machine are told apart elsewhere too. */
export function isWindowsPath(path: string, platform?: string): boolean {
  return platform === "win32" || /^[A-Za-z]:[\\/]/.test(path) || path.startsWith("\\\\");
}

/** Windows finds a directory whatever the case. */
function comparable(path: string, platform?: string): string {
  return isWindowsPath(path, platform) ? path.toLowerCase() : path;
}
