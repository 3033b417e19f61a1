import { statfsSync } from 'node:fs'

/** The numbers by which Linux identifies network file systems (statfs(2)). */
const networks = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0x01021997, '9p'],
  [0x00c36400, 'CephFS'],
  [0x5346414f, 'AFS'],
])

/** Returns the name of the network file system that holds a path; undefined for a local file system, or if the system does not report it. */
export function networkDiskOf(path: string, typeOf = (of: string) => statfsSync(of).type): string | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    // Converts the number to unsigned, because some systems return it as a signed number.
    return networks.get(typeOf(path) >>> 0)
  } catch {
    return undefined
  }
}

/** Returns a sentence about the risk of a network file system for the data directory. @param disk the name from `networkDiskOf` */
export const networkDiskWords = (dataDir: string, disk: string): string =>
  `${dataDir} is on a network file system (${disk}), where SQLite's locks do not hold and the database can be damaged. Move it to a local disk, and copy it away with: npm run jarvis -- backup`
