import type { FileSystem } from "../../src/storage/files/file-system.ts";

/** A file system that tells of each call (the first is number 1) before it is made; what is thrown then is its result. */
export function beforeEachCall(
  fileSystem: FileSystem,
  listener: (name: keyof FileSystem, number: number, args: readonly unknown[]) => void,
): FileSystem {
  let number = 0;
  return new Proxy(fileSystem, {
    get(target, name) {
      const call = Reflect.get(target, name);
      if (typeof call !== "function" || !Object.hasOwn(target, name)) return call;
      return (...args: unknown[]) => {
        listener(name as keyof FileSystem, ++number, args);
        return Reflect.apply(call, target, args);
      };
    },
  });
}

export function errno(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code });
}
