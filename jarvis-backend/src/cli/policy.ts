import { resolve } from 'node:path'
import { JarvisError } from 'protocol'
import { readProfile } from '../calls/profile-setting.ts'
import type { Config } from '../config/config.ts'
import { policyPath, readPolicy } from '../config/policy-file.ts'
import {
  attachedToolsIn,
  type ChangedVerdict,
  changesOf,
  compilePolicy,
  type PolicyFile,
  policyLines,
  Replay,
  summaryOf,
} from '../gate/index.ts'
import { SqliteSettings } from '../store/sqlite/settings.ts'
import { houseFacts, houseTools } from '../tools/house.ts'
import { withData, withJournal } from './data.ts'
import { durationMs, type Input } from './options.ts'
import { unmetHere } from './unmet-here.ts'

const usage =
  'Use policy check [FILE], policy replay [FILE] [--since 7d], or policy print. FILE is policy.yaml in the data dir where it is not named.'

/** `jarvis policy`: checks, replays or prints a policy. Changes nothing. */
export async function policy(config: Config, { values, positionals }: Input<{ since?: string }>): Promise<void> {
  const [action, named, ...rest] = positionals
  if (rest.length > 0 || (values.since !== undefined && action !== 'replay'))
    throw new JarvisError('invalid_request', usage)
  const path = named === undefined ? policyPath(config.dataDir) : resolve(named)
  switch (action) {
    case 'check': {
      const file = fileAt(path, named !== undefined)
      if (file === undefined) return
      const unmet = await unmetHere(config, file)
      if (unmet.length > 0) {
        console.error([...unmet, 'docs/roles.md says who approves.'].join('\n'))
        process.exitCode = 1
        return
      }
      const attached = attachedToolsIn(file)
      console.log([`${path} is in order: ${summaryOf(file)}.`, ...changesOf(file, houseFacts).map(indented)].join('\n'))
      if (attached.length > 0) {
        console.warn(
          `Not checked, for tools of attached servers are known only while JARVIS runs: ${attached.join(', ')}.`,
        )
      }
      return
    }
    case 'replay': {
      const since = values.since === undefined ? 0 : Date.now() - durationMs('--since', values.since)
      const file = fileAt(path, named !== undefined)
      if (file !== undefined) await replay(config, file, since)
      return
    }
    case 'print': {
      if (named !== undefined) throw new JarvisError('invalid_request', usage)
      const file = fileAt(path, false)
      if (file === undefined) return
      await withData(config, (_journal, database) => {
        const profile = readProfile(new SqliteSettings(database))
        const active = compilePolicy({ file, protectedTargets: config.protectedTargets, profile })
        console.log(policyLines(active, houseFacts).join('\n'))
      })
      return
    }
    default:
      throw new JarvisError('invalid_request', usage)
  }
}

/** Reads a policy. If it is broken, prints every problem, sets exit code 1 and returns undefined. */
function fileAt(path: string, mustExist: boolean): PolicyFile | undefined {
  const read = readPolicy(path)
  switch (read.kind) {
    case 'read':
      return read.file
    case 'absent':
      if (mustExist) throw new JarvisError('not_found', `There is no ${path}.`)
      return {}
    case 'broken': {
      const count = read.problems.length
      console.error([...read.problems, count === 1 ? '1 problem.' : `${count} problems.`].join('\n'))
      process.exitCode = 1
      return undefined
    }
    default:
      return read satisfies never
  }
}

async function replay(config: Config, file: PolicyFile, since: number) {
  const again = new Replay(compilePolicy({ file, protectedTargets: config.protectedTargets }), houseTools)
  await withJournal(config, async (journal) => {
    for await (const piece of journal.lines()) {
      for (const line of piece.split('\n')) {
        const entry = entryOf(line)
        if (entry !== undefined && entry.at >= since) again.add(entry)
      }
    }
  })
  const { calls, changed } = again.result()
  const count = changed.reduce((sum, { count }) => sum + count, 0)
  console.log(
    [
      ...changed.map(changeLine),
      `${count} of ${calls} ${calls === 1 ? 'call' : 'calls'} in the journal would be judged differently.`,
    ].join('\n'),
  )
}

/** Parses a line of the journal; undefined if it is not an entry, which `journal verify` reports. */
function entryOf(line: string): { at: number; kind: string; body: unknown } | undefined {
  if (line === '') return undefined
  try {
    const { at, kind, body } = JSON.parse(line) as Record<string, unknown>
    return typeof at === 'number' && typeof kind === 'string' ? { at, kind, body } : undefined
  } catch {
    return undefined
  }
}

const indented = (line: string) => `  ${line}`

const changeLine = ({ toolName, target, from, to, count, lastAt }: ChangedVerdict) =>
  `${from.tier} → ${to.tier}  ${toolName}${target === '' ? '' : ` ${target}`}  ${count === 1 ? 'once' : `${count} times`}, last ${new Date(lastAt).toISOString().slice(0, 16).replace('T', ' ')}\n    ${from.rule} → ${to.rule}: ${to.reason}`
