import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { type MadeBackup, makeBackup } from './cli/make-backup.ts'
import type { Sealing } from './config/sealing.ts'
import { openDatabase } from './store/sqlite/database.ts'

/** `file`: where the backup goes. `now`: Unix ms. */
export type BackupWorkerData = Sealing & { file: string; now: number }
export type FromBackupWorker = { made: MadeBackup } | { fault: string }

/** The thread that makes one backup, so that the checks of a large copy do not hold up the server. */
const { file, now, ...sealing } = workerData as BackupWorkerData
const say = (message: FromBackupWorker) => parentPort?.postMessage(message)
const database = openDatabase(join(sealing.dataDir, 'jarvis.db'))
try {
  say({ made: await makeBackup(database, sealing, { file, now }) })
} catch (error) {
  say({ fault: error instanceof Error ? error.message : String(error) })
} finally {
  database.close()
}
