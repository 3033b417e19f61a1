import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { DoctorCheck, JournalVerification } from 'protocol'
import type { LogStanding } from '../lib/log-sink.ts'
import { networkDiskOf, networkDiskWords } from '../lib/network-disk.ts'
import { inspectDatabase } from '../store/sqlite/inspect.ts'
import { vectorsMissing } from '../store/sqlite/memory/vectors.ts'
import { bad, badFrom, ok, warn } from './check.ts'

const gib = 1024 ** 3
const fullBytes = gib / 4
const tightBytes = 2 * gib

/** Checks free space, permissions and the integrity of the data dir. Changes nothing. */
export function dataChecks(dataDir: string, envPath: string | undefined): DoctorCheck[] {
  if (!existsSync(dataDir)) return [ok('Data', `${dataDir} is not there yet: the first start makes it.`)]
  return [
    roomCheck(dataDir),
    ...diskChecks(dataDir),
    ...vectorChecks(),
    ...accessChecks(dataDir),
    ...(envPath === undefined ? [] : secretFileChecks(envPath)),
  ]
}

function roomCheck(dataDir: string): DoctorCheck {
  const { bavail, bsize } = statfsSync(dataDir)
  const free = bavail * bsize
  const text = `${(free / gib).toFixed(1)} GiB free for ${dataDir}.`
  if (free < fullBytes)
    return bad('Disk', text, 'Make room now: without it nothing can be journalled, and nothing is run.')
  if (free < tightBytes)
    return warn('Disk', text, 'Make room; npm run jarvis -- journal prune moves old entries into files.')
  return ok('Disk', text)
}

function vectorChecks(): DoctorCheck[] {
  const missing = vectorsMissing()
  return missing === undefined ? [] : [warn('Memory', ...halves(missing))]
}

function diskChecks(dataDir: string): DoctorCheck[] {
  const disk = networkDiskOf(dataDir)
  return disk === undefined ? [] : [warn('Disk', ...halves(networkDiskWords(dataDir, disk)))]
}
/** Splits a message after its first sentence into the finding and the remedy. */
function halves(words: string): [string, string] {
  const at = words.indexOf('. ') + 1
  return [words.slice(0, at), words.slice(at + 1)]
}

function accessChecks(dataDir: string): DoctorCheck[] {
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    return [bad('Data', `${dataDir} cannot be written by this account.`, `chown -R "$(id -un)" ${dataDir}`)]
  }
  const { mode } = statSync(dataDir)
  // Other accounts cannot reach files in a closed folder.
  if ((mode & 0o077) === 0) return [ok('Data', `${dataDir} belongs to this account alone.`)]
  return [warn('Data', `${dataDir} can be entered by other accounts (${octal(mode)}).`, `chmod 700 ${dataDir}`)]
}

/** Checks who can read `.env`, if it holds secrets. */
function secretFileChecks(path: string): DoctorCheck[] {
  if (
    !existsSync(path) ||
    !/^[ \t]*(?:export[ \t]+)?\w*(?:SECRET|PASSWORD|API_KEY)[ \t]*=[ \t]*\S/m.test(readFileSync(path, 'utf8'))
  )
    return []
  const { mode } = statSync(path)
  if ((mode & 0o077) === 0) return [ok('Data', `${path} is readable by this account alone.`)]
  return [warn('Data', `${path} holds secrets that other accounts may read (${octal(mode)}).`, `chmod 600 ${path}`)]
}

const octal = (mode: number) => (mode & 0o777).toString(8)

/** Checks the database's pages and the journal's chain. @param upToBytes larger databases are not read */
export async function databaseChecks(
  dataDir: string,
  upToBytes: number,
  verify: () => Promise<JournalVerification>,
): Promise<DoctorCheck[]> {
  const path = join(dataDir, 'jarvis.db')
  if (!existsSync(path)) return [ok('Database', 'None yet: the first start makes it.')]
  try {
    const { bytes, isRead, isCurrent } = inspectDatabase(path, upToBytes)
    const size = `${(bytes / 1024 ** 2).toFixed(1)} MiB`
    const pages = isRead
      ? ok('Database', `${size}, every page is sound.`)
      : ok('Database', `${size}, too large to be read through while serving: npm run jarvis -- doctor does.`)
    if (!isCurrent) return [pages, ok('Journal', 'It is of an older version; the next start brings it up to date.')]
    const { ok: isWhole, entries, brokenAt, reason } = await verify()
    if (isWhole) return [pages, ok('Journal', `${entries} entries, none changed.`)]
    const text = `Broken at entry ${brokenAt}: ${reason ?? 'it is not as it was written'}`
    return [
      pages,
      bad(
        'Journal',
        text,
        'Somebody or something changed it: npm run jarvis -- journal verify, and compare with a backup.',
      ),
    ]
  } catch (error) {
    return [badFrom('Database', error, 'Restore the newest backup: npm run jarvis -- restore FILE')]
  }
}

/** Warns if standard output did not take lines of the log. */
export const logChecks = ({ lost, problem }: LogStanding): DoctorCheck[] =>
  problem === undefined
    ? []
    : [
        warn(
          'Log',
          `${lost} lines of the log could not be written to standard output: ${problem}.`,
          'Make room, or start JARVIS anew with a reader. The page Log has the newest lines.',
        ),
      ]
