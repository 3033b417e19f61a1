import { createHash } from 'node:crypto'
import { type FSWatcher, readFileSync, statSync, watch } from 'node:fs'
import { join } from 'node:path'
import { maxPolicyBytes, type PolicyFile, type PolicyProblem, parsePolicy } from '../gate/index.ts'
import type { Clock } from '../lib/clock.ts'
import { houseFacts } from '../tools/house.ts'
import { ConfigError } from './config.ts'

/** What policy.yaml says now. `hash`: SHA-256 in hex of its bytes; an absent file adds nothing. */
export type ReadPolicy =
  | { kind: 'absent' }
  | { kind: 'read'; hash: string; file: PolicyFile }
  | { kind: 'broken'; problems: string[] }

export const policyPath = (dataDir: string): string => join(dataDir, 'policy.yaml')

const problemLine = (path: string, { line, column, message }: PolicyProblem): string =>
  `${path}:${line}:${column}  ${message}`

/** @param name what problems call the file */
export function readPolicy(path: string, name = path): ReadPolicy {
  let bytes: Buffer
  try {
    // A pipe would never end, and of a disk's worth of text not one line is read.
    const stats = statSync(path)
    if (!stats.isFile()) return { kind: 'broken', problems: [`${name} is not a file.`] }
    if (stats.size > maxPolicyBytes) return { kind: 'broken', problems: [`${name} is over 256 kB.`] }
    bytes = readFileSync(path)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? { kind: 'absent' } : { kind: 'broken', problems: [`${name} cannot be read: ${message}`] }
  }
  const parsed = parsePolicy(bytes.toString('utf8'), houseFacts)
  return parsed.ok
    ? { kind: 'read', hash: createHash('sha256').update(bytes).digest('hex'), file: parsed.file }
    : { kind: 'broken', problems: parsed.problems.map((problem) => problemLine(name, problem)) }
}

/** At the start there is no earlier policy to stay with. @throws ConfigError with every problem on a line of its own. */
export function requirePolicy(path: string): Exclude<ReadPolicy, { kind: 'broken' }> {
  const read = readPolicy(path)
  if (read.kind !== 'broken') return read
  throw new ConfigError(
    `The policy cannot be used, so JARVIS does not start without what it forbids:\n${read.problems.map((line) => `  ${line}`).join('\n')}`,
  )
}

/** An editor writes in several steps, and moves files about; this long after the last step it is done. */
const settleMs = 100
/** Written at every commit, and nothing of ours. */
const isDatabase = (name: string) => /^(?:jarvis|lock|memory)\.db/.test(name)

/**
 * Calls `look` after anything but the database has changed in the data dir: the folder is watched, for a file that is
 * replaced is another one. What touches the folder itself asks for a look too.
 */
export function watchDataDir(
  dir: string,
  parts: { clock: Clock; look(): void; report(error: unknown, message: string): void },
): { close(): void } {
  let cancel: (() => void) | undefined
  let watcher: FSWatcher | undefined
  try {
    watcher = watch(dir, { persistent: false }, (_event, name) => {
      if (name !== null && isDatabase(name)) return
      cancel?.()
      cancel = parts.clock.after(settleMs, () => {
        try {
          parts.look()
        } catch (error) {
          parts.report(error, 'policy.yaml could not be taken up')
        }
      })
    })
    watcher.on('error', (error) => parts.report(error, 'policy.yaml is no longer watched: restart to take up an edit'))
  } catch (error) {
    parts.report(error, 'policy.yaml cannot be watched: restart to take up an edit')
  }
  return {
    close() {
      cancel?.()
      watcher?.close()
    },
  }
}
