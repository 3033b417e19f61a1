import { prove } from 'secrets'
import { ConfigError } from '../config/config-error.ts'
import { boxOf, masterTexts, type Sealing } from '../config/sealing.ts'
import { type Backup, backUp } from '../store/sqlite/backup.ts'
import type { Database } from '../store/sqlite/database.ts'
import { filesToBackUp } from './backup-files.ts'
import { secretsOfBackup } from './backup-secrets.ts'

/** A finished backup. `files`: how many files are in it beside the database. `unprovable`: why it has no proof. */
export type MadeBackup = Backup & { files: number; notes: string[]; unprovable: string | undefined }

/**
 * Copies the database and people's files into `file`, while others may write, and checks the copy. Uses the connection of `database` for one long
 * read, so a server gives a connection of its own.
 */
export async function makeBackup(
  database: Database,
  sealing: Sealing,
  { file, now, progress = () => {} }: { file: string; now: number; progress?: (ratio: number) => void },
): Promise<MadeBackup> {
  const unprovable = problemOfKeys(sealing)
  const { files, notes } = filesToBackUp(sealing.dataDir, masterTexts(sealing))
  const made = await backUp(database, {
    file,
    now,
    files,
    prove: (made) => {
      if (unprovable === undefined) prove(made, sealing.dataDir, sealing.secretKeys)
    },
    progress,
  })
  return { ...made, files: files.length, notes: [...notes, ...secretsOfBackup(file, sealing)], unprovable }
}

/** Makes the data dir's keys if there are none yet. @returns the reason why they cannot be used */
function problemOfKeys(sealing: Sealing): string | undefined {
  try {
    boxOf(sealing)
    return undefined
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
}
