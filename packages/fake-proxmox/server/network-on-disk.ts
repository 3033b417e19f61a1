import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import type { NetworkFiles } from '../src/pve-model/network/files.ts'

/** A node's network configuration in a file, so that programs of a real SSH server can change it too. */
export const networkOnDisk = (path: string, address: string): NetworkFiles => ({
  address,
  read: () => readFileSync(path, 'utf8'),
  staged: () => (existsSync(`${path}.new`) ? readFileSync(`${path}.new`, 'utf8') : undefined),
  stage: (text) => writeFileSync(`${path}.new`, text),
  apply() {
    if (existsSync(`${path}.new`)) renameSync(`${path}.new`, path)
  },
  drop: () => rmSync(`${path}.new`, { force: true }),
  restore: (text) => writeFileSync(path, text),
})
