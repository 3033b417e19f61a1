import { randomBytes } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { writeWhole } from '../lib/whole-file.ts'

/** A folder of this account alone, below the temporary folder of this machine, for as long as something uses it. */
export type Scratch = { path: string; remove(): void }
export type MakeScratch = (use: 'browser' | 'egress') => Scratch

const form = /^jarvis-(?:browser|egress)-[0-9a-f]{12}$/
/** `of`: device and inode of the folder of records. A copy of a data dir has others, and removes nothing of the one that it was made from. */
const Left = z.strictObject({ path: z.string(), of: z.string() })

/** Makes a folder that no record tells of. */
export const makeScratch: MakeScratch = (use) => {
  const path = join(tmpdir(), nameOf(use))
  mkdirSync(path, { mode: 0o700 })
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/**
 * Makes such folders, and knows those that a killed process of this data dir left behind: each is written down before it is made. Only the
 * process that holds the data dir's lock may call this, so whoever made what is found is dead.
 */
export function createScratches(dataDir: string, report: (error: unknown, message: string) => void) {
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
    if (isOurs) await rm(found.path, { recursive: true, force: true })
    // One that was cut off, or came with a copy of another data dir, tells of nothing here.
    rmSync(record, { force: true })
  }

  return {
    make(use: Parameters<MakeScratch>[0]): Scratch {
      const path = join(tmpdir(), nameOf(use))
      const record = join(records, basename(path))
      const remove = () => {
        rmSync(path, { recursive: true, force: true })
        rmSync(record, { force: true })
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
    /** Removes what was left behind before this process. What cannot be removed is tried again by the next start. */
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

/** No link, and nobody else's: the temporary folder is everybody's. */
function isOwnFolder(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isDirectory() === true && found.uid === process.getuid?.()
}
