import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { type Database, openDatabase } from '../../src/store/sqlite/database.ts'
import { type KeptJournal, SqliteKeptJournal } from '../../src/store/sqlite/journal/kept.ts'
import { program } from './program.ts'

const backend = fileURLToPath(new URL('../..', import.meta.url))

/** A folder that ends with the test, and so does the key that a data dir has beside it. */
export function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-data-'))
  onTestFinished(() => {
    for (const path of [dir, `${dir}.key`]) rmSync(path, { recursive: true, force: true })
  })
  return dir
}

/** Where the key of a data dir's secrets lies: beside it where that folder is this account's alone, else in it. */
export const keyFileOf = (dir: string): string => (existsSync(`${dir}.key`) ? `${dir}.key` : join(dir, 'secrets.key'))

/** A folder that a policy may name as a root: the temporary folder may lie below /dev, where there is none. It ends with the test. */
export function rootFolder(): string {
  const dir = mkdtempSync('/tmp/jarvis-root-')
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

export type OpenJournal = { database: Database; journal: KeptJournal; reported: string[]; close(): Promise<void> }

/** Opens the journal in `dir` without the server. */
export function openJournal(dir: string, now: () => number = Date.now): OpenJournal {
  const database = openDatabase(join(dir, 'jarvis.db'))
  const reported: string[] = []
  const journal = new SqliteKeptJournal(database, {
    dir: join(dir, 'journal'),
    now,
    report: (_error, message) => reported.push(message),
  })
  return {
    database,
    journal,
    reported,
    async close() {
      await journal.flush()
      database.close()
    },
  }
}

/** The real program as a process of its own: the server, or the command line with its arguments. */
export function run(dir: string, name: 'main' | 'cli', ...args: string[]) {
  const child = spawn(process.execPath, [...program(name), ...args], {
    cwd: backend,
    env: {
      PATH: process.env.PATH,
      JARVIS_DATA_DIR: dir,
      JARVIS_PASSWORD: 'correct-horse-battery',
      JWT_SECRET: 'test-secret-of-more-than-32-characters',
      LOG_LEVEL: 'silent',
      PORT: '0',
    },
  })
  let output = ''
  const wake: (() => void)[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece: Buffer) => {
      output += piece.toString()
      for (const look of wake.splice(0)) look()
    })
  }
  const ended = new Promise<{ code: number | null; output: string }>((resolve) => {
    child.on('close', (code) => {
      resolve({ code, output: output.trim() })
      for (const look of wake.splice(0)) look()
    })
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return {
    child,
    ended,
    /** Resolves with what is like `text` in the output, once it is there. */
    async says(text: string | RegExp): Promise<string> {
      for (;;) {
        const found = typeof text === 'string' ? output.includes(text) && text : text.exec(output)?.[0]
        if (typeof found === 'string') return found
        if (child.exitCode !== null || child.signalCode !== null) throw new Error(`It ended, saying: ${output}`)
        await new Promise<void>((resolve) => wake.push(resolve))
      }
    },
  }
}

export const jarvis = (dir: string, ...args: string[]) => run(dir, 'cli', ...args).ended
