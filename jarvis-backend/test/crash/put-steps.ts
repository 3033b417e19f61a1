import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename } from 'node:path'
import type { Reach } from './steps.ts'

/** Reaches `before put NAME` and `after put NAME` as a file takes its place. @returns what ends it */
export function watchPuts(reach: Reach): () => void {
  const real = { renameSync: fs.renameSync, linkSync: fs.linkSync }
  for (const name of ['renameSync', 'linkSync'] as const) {
    fs[name] = (from, to) => {
      reach(`before put ${basename(String(to))}`)
      real[name](from, to)
      reach(`after put ${basename(String(to))}`)
    }
  }
  syncBuiltinESMExports()
  return () => {
    Object.assign(fs, real)
    syncBuiltinESMExports()
  }
}
