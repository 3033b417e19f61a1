import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atOnce } from 'node-kit/steps'
import { bwrapOptions, inside, limited, usualLimits } from 'sandbox/argv'
import { belowOf } from 'sandbox/below'
import { changesInCopy } from 'sandbox/changes'

/** The arguments of bubblewrap for a command in `/work`, whose seccomp filter is open as file 3. */
export const commandLine = (folder: string, command: string): string[] => [
  ...bwrapOptions({ binds: [{ from: folder, to: inside.work, isWritable: true }] }, { seccomp: 3 }),
  '--',
  ...limited(usualLimits, ['/bin/bash', '-c', command]),
]

/** Changes a copy of a folder as a command would, and returns the changed paths. */
export function example(): string[] {
  const dir = mkdtempSync(join(tmpdir(), 'sandbox-'))
  try {
    const [folder, copy] = [join(dir, 'folder'), join(dir, 'copy')]
    cpSync(new URL('./src', import.meta.url), folder, { recursive: true })
    cpSync(folder, copy, { recursive: true })
    rmSync(join(copy, 'argv.ts'))
    writeFileSync(join(copy, 'new'), 'one\n')
    const over = { below: belowOf(folder), keep() {}, startedAt: Date.now(), secrets: new Set<string>() }
    return atOnce(changesInCopy(copy, over)).changes.map(({ path, new: { kind } }) => `${path}: ${kind}`)
  } finally {
    rmSync(dir, { recursive: true })
  }
}
