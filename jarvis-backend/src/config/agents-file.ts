import { createHash } from 'node:crypto'
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { WrittenAgents } from '../agents/active.ts'
import { maxYamlBytes } from '../lib/strict-yaml.ts'

/** The file `agents.yaml` of a data dir. */
export function agentsFile(dataDir: string) {
  const path = join(dataDir, 'agents.yaml')
  return {
    path,
    /** Reads the file. Never throws. */
    read(): WrittenAgents {
      try {
        const stats = statSync(path)
        if (!stats.isFile()) return { kind: 'unreadable', problem: 'agents.yaml is not a file.' }
        if (stats.size > maxYamlBytes) return { kind: 'unreadable', problem: 'agents.yaml is over 256 kB.' }
        const bytes = readFileSync(path)
        return { kind: 'read', hash: createHash('sha256').update(bytes).digest('hex'), text: bytes.toString('utf8') }
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException
        if (code === 'ENOENT') return { kind: 'absent' }
        return { kind: 'unreadable', problem: `agents.yaml cannot be read: ${message}` }
      }
    },
    /** Replaces the file at once, so that a crash leaves the old file or the new one. */
    write(text: string) {
      writeFileSync(`${path}.new`, text, { mode: 0o600 })
      renameSync(`${path}.new`, path)
    },
  }
}
