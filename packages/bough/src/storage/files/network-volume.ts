import type { FileSystem } from "./file-system.ts";
import { uninterrupted } from "./file-system.ts";

/** Types that `statfs` gives for file systems on which the appends of two machines can overwrite each other. */
const networkTypes: ReadonlySet<number> = new Set([
  0x6969, // NFS
  0x517b, // SMB
  0xff534d42, // CIFS
  0xfe534d42, // SMB 2 and 3
  0x5346414f, // AFS
  0x01021997, // 9P
  0x65735546, // FUSE, sshfs among them
  0x00c36400, // Ceph
  0x0bd00bd0, // Lustre
]);

/** Whether a path is on a volume that may be mounted by other machines. Only Linux tells; elsewhere it is false. */
export function isOnNetworkVolume(path: string, fileSystem: FileSystem): boolean {
  if (process.platform !== "linux") return false;
  return networkTypes.has(uninterrupted(() => fileSystem.statfsSync(path)).type);
}
