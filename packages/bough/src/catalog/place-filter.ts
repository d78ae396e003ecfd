/** Whether a path is `part` or lies in it: an absolute one as it stands, else any run of whole components. */
export function isWithin(path: string, part: string): boolean {
  const [whole, wanted] = [componentsOf(path), componentsOf(part).replace(/(?<=.)\/$/, "")];
  const isAbsolute = wanted.startsWith("/") || /^[a-z]:\//i.test(wanted);
  return isAbsolute
    ? `${whole}/`.startsWith(wanted === "/" ? "/" : `${wanted}/`)
    : `/${whole}/`.includes(`/${wanted}/`);
}

function componentsOf(path: string): string {
  return path.normalize("NFC").replaceAll("\\", "/");
}
