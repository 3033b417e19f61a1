import { createHash } from 'node:crypto'
import { type FSWatcher, lstatSync, readFileSync, realpathSync, statSync, watch } from 'node:fs'
import { join } from 'node:path'
import { writeWhole } from 'node-kit/whole-file'
import { JarvisError } from 'protocol'
import { type PolicyFile, parsePolicy } from '../gate/index.ts'
import type { PolicyText } from '../gate/policy/change-workbench.ts'
import type { Clock } from '../lib/clock.ts'
import { maxYamlBytes, type YamlProblem } from '../lib/strict-yaml.ts'
import { houseFacts } from '../tools/house.ts'
import { ConfigError } from './config.ts'

/** A policy.yaml as it was read. `hash`: SHA-256 of its bytes, hex. A missing file adds no rules. */
export type ReadPolicy =
  | { kind: 'absent' }
  | { kind: 'read'; hash: string; text: string; file: PolicyFile }
  | { kind: 'broken'; problems: string[] }

export const policyPath = (dataDir: string): string => join(dataDir, 'policy.yaml')

const problemLine = (path: string, { line, column, message }: YamlProblem): string =>
  `${path}:${line}:${column}  ${message}`

/** Reads and parses a policy. @param name the file's name in problems */
export function readPolicy(path: string, name = path): ReadPolicy {
  const read = bytesOf(path, name)
  if (read.kind !== 'read') return read
  const text = read.bytes.toString('utf8')
  const parsed = parsePolicy(text, houseFacts)
  return parsed.ok
    ? { kind: 'read', hash: hashOf(read.bytes), text, file: parsed.file }
    : { kind: 'broken', problems: parsed.problems.map((problem) => problemLine(name, problem)) }
}

function bytesOf(path: string, name: string): Exclude<ReadPolicy, { kind: 'read' }> | { kind: 'read'; bytes: Buffer } {
  try {
    // Reading a pipe would block, and a huge file is not read.
    const stats = statSync(path)
    if (!stats.isFile()) return { kind: 'broken', problems: [`${name} is not a file.`] }
    if (stats.size > maxYamlBytes) return { kind: 'broken', problems: [`${name} is over 256 kB.`] }
    return { kind: 'read', bytes: readFileSync(path) }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? { kind: 'absent' } : { kind: 'broken', problems: [`${name} cannot be read: ${message}`] }
  }
}
const hashOf = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex')
/** The hash of a policy.yaml with this text. */
export const textHash = (text: string): string => hashOf(text)

/** The policy.yaml of a data dir as a text that JARVIS can change. */
export function policyText(dataDir: string): PolicyText {
  const path = policyPath(dataDir)
  const name = 'policy.yaml'
  return {
    parse: (text) => parsePolicy(text, houseFacts),
    read() {
      const read = bytesOf(path, name)
      if (read.kind === 'broken') return { problem: read.problems.join(' ') }
      if (read.kind === 'absent')
        return lstatSync(path, { throwIfNoEntry: false }) === undefined
          ? { text: '', hash: '' }
          : { problem: `${name} is a link that leads nowhere: mend it by hand.` }
      const text = read.bytes.toString('utf8')
      // Writing back a file that is not UTF-8 would change its bytes.
      return Buffer.from(text).equals(read.bytes)
        ? { text, hash: hashOf(read.bytes) }
        : { problem: `${name} holds bytes that are not UTF-8: save it as UTF-8 first.` }
    },
    write(text) {
      const stats = statSync(path, { throwIfNoEntry: false })
      // A symbolic link stays, and the file to which it leads is replaced.
      const real = stats === undefined ? path : realpathSync(path)
      try {
        writeWhole(real, text, stats === undefined ? 0o600 : stats.mode & 0o777)
      } catch (cause) {
        const { code = 'it failed' } = cause as NodeJS.ErrnoException
        throw new JarvisError(
          'conflict',
          `policy.yaml could not be written (${code}): give JARVIS’s user access to its folder, or write the lines by hand. Nothing was changed.`,
          { cause },
        )
      }
    },
  }
}

type UsablePolicy = Exclude<ReadPolicy, { kind: 'broken' }>

/** Reads the policy. @throws ConfigError with every problem on its own line */
export function requirePolicy(path: string): UsablePolicy {
  const read = readPolicy(path)
  if (read.kind !== 'broken') return read
  throw refused(read.problems)
}

/**
 * Reads the policy at the start. If it cannot be used, the last good one is in force, as while a server runs, and `problems` gives the reasons.
 * @param good the text of the last good policy; empty or undefined: there is none @throws ConfigError if there is none
 */
export function policyAtStart(path: string, good: () => string | undefined): UsablePolicy & { problems?: string[] } {
  const read = readPolicy(path)
  if (read.kind !== 'broken') return read
  const text = good() ?? ''
  const parsed = text === '' ? undefined : parsePolicy(text, houseFacts)
  if (parsed?.ok !== true) throw refused(read.problems)
  return { kind: 'read', hash: textHash(text), text, file: parsed.file, problems: read.problems }
}

const refused = (problems: readonly string[]) =>
  new ConfigError(
    `The policy cannot be used, so JARVIS does not start without what it forbids:\n${problems.map((line) => `  ${line}`).join('\n')}`,
  )

/** Time after the last change of a file before it is read, ms, because editors save in several steps. */
const settleMs = 100
/** The databases change at every commit and hold no settings. */
const isDatabase = (name: string) => /^(?:jarvis|lock|memory)\.db/.test(name)

/**
 * Calls `look` after any file in the data dir except the databases has changed. It watches the folder, because a watch on a file ends when the file
 * is replaced. Touching the folder calls `look` too.
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
