import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeWhole } from 'node-kit/whole-file'
import type { Command, CommandRecords } from './command.ts'

const idForm = /^cmd_[a-z0-9]+$/

/** Stores each command in a file. A command's changes may be long, and nothing queries single parts of them. */
export function createCommandFiles(dir: string, report: (error: unknown, message: string) => void): CommandRecords {
  const fileOf = (id: string) => join(dir, `${id}.json`)
  const read = (id: string) => JSON.parse(readFileSync(fileOf(id), 'utf8')) as Command
  const all = () =>
    (existsSync(dir) ? readdirSync(dir) : [])
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => {
        try {
          return [read(name.slice(0, -5))]
        } catch (error) {
          // A broken record must not hide the other records, and must not stop the start.
          report(error, `the record ${name} of a command cannot be read`)
          return []
        }
      })
      .sort((one, other) => one.startedAt - other.startedAt)

  return {
    get(id) {
      if (!idForm.test(id)) return undefined
      try {
        return read(id)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },
    put(command) {
      mkdirSync(dir, { recursive: true, mode: 0o700 })
      writeWhole(fileOf(command.id), JSON.stringify(command))
    },
    of: (sessionId) => all().filter((command) => command.sessionId === sessionId),
    running: () => all().filter(({ state }) => state.kind === 'running'),
    forget(sessionId) {
      for (const { id, sessionId: of } of all()) if (of === sessionId) rmSync(fileOf(id), { force: true })
    },
  }
}
