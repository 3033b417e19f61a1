import { createWriteStream } from 'node:fs'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { JarvisError } from 'protocol'
import type { Config } from '../config/config.ts'
import type { KeptJournal } from '../store/sqlite/journal/kept.ts'
import { withJournal } from './data.ts'
import { durationMs, type Input } from './options.ts'

const usage = 'Use journal verify, journal export [FILE], or journal prune --before 2026-01-01 | --older-than 90d.'

/** `jarvis journal`: verifies, exports or prunes the data dir's journal, with or without a running server. */
export async function journal(
  config: Config,
  { values, positionals }: Input<{ before?: string; 'older-than'?: string; force?: boolean }>,
): Promise<void> {
  const [action, file, ...rest] = positionals
  if (rest.length > 0 || (file !== undefined && action !== 'export')) throw new JarvisError('invalid_request', usage)
  switch (action) {
    case 'verify':
      return withJournal(config, (kept) => verify(kept))
    case 'export':
      return withJournal(config, (kept) => exportTo(kept, file, values.force === true))
    case 'prune': {
      const before = boundary(values.before, values['older-than'])
      return withJournal(config, (kept) => prune(kept, before, join(config.dataDir, 'journal')))
    }
    default:
      throw new JarvisError('invalid_request', usage)
  }
}

async function verify(kept: KeptJournal) {
  const { ok, entries, brokenAt, reason } = await kept.verify()
  console.log(
    ok ? `The journal is whole: ${entries} entries.` : `The journal is broken at entry ${brokenAt}. ${reason}`,
  )
  if (!ok) process.exitCode = 1
}

async function exportTo(kept: KeptJournal, file: string | undefined, overwrite: boolean) {
  if (file === undefined) {
    try {
      await pipeline(kept.lines(), process.stdout, { end: false })
    } catch (error) {
      // EPIPE: a reader such as `head` closed the pipe, which is no error.
      if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
    }
    return
  }
  try {
    await pipeline(kept.lines(), createWriteStream(resolve(file), { flags: overwrite ? 'w' : 'wx', mode: 0o600 }))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new JarvisError(
      'invalid_request',
      code === 'EEXIST' ? `${file} exists. --force overwrites it.` : `${file} cannot be written: ${message}`,
      { cause: error },
    )
  }
  console.log(`Exported to ${file}.`)
}

function prune(kept: KeptJournal, before: number, dir: string) {
  const segments = kept.prune(before, 'cli')
  const last = segments.at(-1)
  if (last === undefined) {
    console.log('Nothing is that old.')
    return
  }
  const sealed = segments.reduce((sum, { firstSeq, lastSeq }) => sum + lastSeq - firstSeq + 1, 0)
  const files = segments.length === 1 ? 'one file' : `${segments.length} files`
  console.log(
    `Sealed ${sealed} entries, up to ${last.lastSeq}, in ${files} of ${dir}. They may be moved away: the rest verifies without them.`,
  )
}

function boundary(before: string | undefined, olderThan: string | undefined): number {
  if ((before === undefined) === (olderThan === undefined)) throw new JarvisError('invalid_request', usage)
  if (olderThan !== undefined) return Date.now() - durationMs('--older-than', olderThan)
  const at = /^\d{4}-\d{2}-\d{2}/.test(before ?? '') ? Date.parse(before ?? '') : Number.NaN
  if (Number.isNaN(at) || at > Date.now()) {
    throw new JarvisError('invalid_request', '--before takes a day that has passed, for example 2026-01-01.')
  }
  return at
}
