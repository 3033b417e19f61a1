import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { JarvisError, type OwnBackup, type OwnBackupMade, type OwnBackupsReply } from 'protocol'
import type { BackupWorkerData, FromBackupWorker } from '../backup-worker.ts'
import type { MadeBackup } from '../cli/make-backup.ts'
import type { Sealing } from '../config/sealing.ts'
import { leavesReserve, noRoomWords } from '../lib/disk-room.ts'
import { startWorker } from '../lib/start-worker.ts'

/** Further backups are refused, so that the page cannot fill the disk. */
const most = 20
const nameForm = /^jarvis-[\dTZ-]+\.db$/

type Parts = Sealing & {
  /** `:memory:` for a database that has no file. */
  databasePath: string
  now(): number
  /** Writes to the journal that a person begins a backup, and how it ended. */
  record(entry: {
    change: 'backup_begun' | 'backed_up' | 'backup_failed'
    file: string
    by: string
    why?: string
  }): void
}

/** The backups of JARVIS's own data in the data dir. Only the command line restores one, because no server may run meanwhile. */
export class OwnBackups {
  readonly #parts: Parts
  readonly #dir: string
  #running: Worker | undefined

  constructor(parts: Parts) {
    this.#parts = parts
    this.#dir = join(parts.dataDir, 'backups')
  }

  state(): OwnBackupsReply {
    return { dir: this.#dir, items: this.#list(), isRunning: this.#running !== undefined, most }
  }

  /** Makes a backup now. @throws JarvisError `conflict` if one is being made, there are too many, or the disk has no room; `internal` if it failed */
  async make(by: string): Promise<OwnBackupMade> {
    const { dataDir, secretKeys, databasePath, now, record } = this.#parts
    if (databasePath === ':memory:')
      throw new JarvisError('conflict', 'The database is in memory alone, so there is no file to back up.')
    if (this.#running !== undefined) throw new JarvisError('conflict', 'A backup is being made already.')
    if (this.#list().length >= most)
      throw new JarvisError('conflict', `There are ${most} backups in ${this.#dir}. Move or delete some of them first.`)
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 })
    if (!leavesReserve(statfsSync(this.#dir), 2 * statSync(databasePath).size))
      throw new JarvisError('conflict', noRoomWords)
    const name = `jarvis-${new Date(now()).toISOString().replace(/[:.]/g, '-')}.db`
    const file = join(this.#dir, name)
    record({ change: 'backup_begun', file: name, by })
    const made = await this.#run({ dataDir, secretKeys, file, now: now() }).catch((error: unknown) => {
      record({ change: 'backup_failed', file: name, by, why: error instanceof Error ? error.message : String(error) })
      throw error
    })
    record({ change: 'backed_up', file: name, by })
    const problem = made.journal.ok
      ? made.unprovable && `Nothing proves it: ${made.unprovable} A restore asks for --unproven.`
      : `The journal in it is broken at entry ${made.journal.brokenAt}. ${made.journal.reason}`
    return { backup: this.#backup(name), notes: made.notes, problem }
  }

  /** Ends a backup that is being made. */
  async stop(): Promise<void> {
    await this.#running?.terminate()
  }

  #list(): OwnBackup[] {
    if (!existsSync(this.#dir)) return []
    return readdirSync(this.#dir)
      .filter((name) => nameForm.test(name))
      .map((name) => this.#backup(name))
      .toSorted((a, b) => b.at - a.at || (a.name < b.name ? 1 : -1))
  }

  #backup(name: string): OwnBackup {
    const path = join(this.#dir, name)
    const { size, mtimeMs } = statSync(path)
    return { name, path, bytes: size, at: Math.round(mtimeMs) }
  }

  async #run(data: BackupWorkerData): Promise<MadeBackup> {
    const beside = import.meta.url.endsWith('.ts') ? '../backup-worker.ts' : './backup-worker.js'
    const worker = startWorker(new URL(beside, import.meta.url), data)
    this.#running = worker
    try {
      const said = await new Promise<FromBackupWorker>((resolve) => {
        worker.once('message', resolve)
        worker.once('error', (error) => resolve({ fault: error.message }))
        worker.once('exit', () => resolve({ fault: 'The thread ended before it was finished.' }))
      })
      if ('made' in said) return said.made
      throw new JarvisError('internal', `No backup was made. ${said.fault}`)
    } finally {
      await worker.terminate()
      this.#running = undefined
      for (const rest of readdirSync(this.#dir))
        if (rest.includes('.unfinished')) rmSync(join(this.#dir, rest), { force: true })
    }
  }
}
