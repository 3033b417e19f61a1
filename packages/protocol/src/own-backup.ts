import { z } from 'zod'

/** A backup of JARVIS's own data in the folder `backups` of the data dir. `at`: when it was finished, Unix ms. */
export const OwnBackup = z.object({ name: z.string(), path: z.string(), bytes: z.int(), at: z.int() })
export type OwnBackup = z.infer<typeof OwnBackup>

/** The backups, newest first. `isRunning`: one is being made. `most`: how many may lie there. */
export const OwnBackupsReply = z.object({
  dir: z.string(),
  items: z.array(OwnBackup),
  isRunning: z.boolean(),
  most: z.int(),
})
export type OwnBackupsReply = z.infer<typeof OwnBackupsReply>

/** A backup that was just made. `notes`: what is not in it, and which secrets it holds. `problem`: the journal in it is broken, or nothing proves the backup. */
export const OwnBackupMade = z.object({ backup: OwnBackup, notes: z.array(z.string()), problem: z.string().optional() })
export type OwnBackupMade = z.infer<typeof OwnBackupMade>
