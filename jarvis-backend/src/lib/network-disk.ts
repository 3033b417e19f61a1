import { statfsSync } from 'node:fs'

/** Numbers that Linux gives file systems of other machines (statfs(2)). */
const networks = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0x01021997, '9p'],
  [0x00c36400, 'CephFS'],
  [0x5346414f, 'AFS'],
])

/** The network file system that a path is on; undefined for a local one, and where the system does not say. */
export function networkDiskOf(path: string, typeOf = (of: string) => statfsSync(of).type): string | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    // Some systems give the number with its sign.
    return networks.get(typeOf(path) >>> 0)
  } catch {
    return undefined
  }
}

/** States the risk of a network file system for the data dir. @param disk as `networkDiskOf` names it */
export const networkDiskWords = (dataDir: string, disk: string): string =>
  `${dataDir} is on a network file system (${disk}), where SQLite's locks do not hold and the database can be damaged. Move it to a local disk, and copy it away with: npm run jarvis -- backup`
