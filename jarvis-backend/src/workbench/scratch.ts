import { randomBytes } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { writeWhole } from 'node-kit/whole-file'
import { z } from 'zod'
import type { Removal } from '../lib/removal.ts'

/**
 * A folder below this machine's temporary folder that only this account can read, for as long as something uses it. `remove` never throws, and does
 * not wait until the folder is removed.
 */
export type Scratch = { path: string; remove(): void }
export type MakeScratch = (use: 'browser' | 'egress' | 'git') => Scratch

/** Makes a folder that is not recorded on disk. Used for folders that only this process fills. */
export const makeScratch: MakeScratch = (use) => {
  const path = join(tmpdir(), nameOf(use))
  mkdirSync(path, { mode: 0o700 })
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

const form = /^jarvis-(?:browser|egress|git)-[0-9a-f]{12}$/
/**
 * The record of a folder. `of`: device and inode of the folder of records. A copied data folder has other numbers, so it never removes folders of
 * the original.
 */
const Left = z.strictObject({ path: z.string(), of: z.string() })

/**
 * Makes temporary folders, and finds the ones that a killed process of this data folder left: each folder is recorded before it is made. Call it
 * only in the process that holds the data folder's lock, so that the process that made a found folder is certainly dead.
 */
export function createScratches(
  dataDir: string,
  removal: Pick<Removal, 'remove'>,
  report: (error: unknown, message: string) => void,
) {
  const records = join(dataDir, 'scratch')
  const own = () => {
    const { dev, ino } = statSync(records)
    return `${dev}:${ino}`
  }
  const left = namesIn(records)

  async function removeLeft(name: string): Promise<void> {
    const record = join(records, name)
    const found = form.test(name) ? recordIn(readFileSync(record, 'utf8')) : undefined
    const isOurs = found?.of === own() && basename(found.path) === name && isOwnFolder(found.path)
    // The next start tries again to remove a folder that is still there.
    if (isOurs && !(await removal.remove(found.path))) return
    // A record that is incomplete, or was copied from another data folder, says nothing about this machine's folders.
    rmSync(record, { force: true })
  }

  async function removed(path: string): Promise<boolean> {
    try {
      // Most folders are empty by then and can be removed without starting a process.
      rmdirSync(path)
      return true
    } catch {
      return removal.remove(path)
    }
  }

  return {
    make(use: Parameters<MakeScratch>[0]): Scratch {
      const path = join(tmpdir(), nameOf(use))
      const record = join(records, basename(path))
      const remove = () => {
        removed(path)
          .then((isGone) => isGone && rmSync(record, { force: true }))
          .catch((error: unknown) => report(error, `${path} could not be removed. The next start tries again.`))
      }
      mkdirSync(records, { recursive: true, mode: 0o700 })
      writeWhole(record, JSON.stringify({ path, of: own() }))
      try {
        mkdirSync(path, { mode: 0o700 })
      } catch (error) {
        rmSync(record, { force: true })
        throw error
      }
      return { path, remove }
    },
    /** Removes folders of earlier processes. The next start tries again to remove a folder that is still there. */
    async clear(): Promise<void> {
      for (const name of left.splice(0)) {
        try {
          await removeLeft(name)
        } catch (error) {
          report(error, `what a killed JARVIS left behind could not be removed (${name})`)
        }
      }
    },
  }
}

const nameOf = (use: string) => `jarvis-${use}-${randomBytes(6).toString('hex')}`

function recordIn(text: string): z.output<typeof Left> | undefined {
  try {
    return Left.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Returns true for a folder that is not a link and belongs to this account. Other accounts can write to the temporary folder too. */
function isOwnFolder(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isDirectory() === true && found.uid === process.getuid?.()
}
