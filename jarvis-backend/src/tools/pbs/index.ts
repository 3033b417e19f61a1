import { getPbsSnapshots } from './get-pbs-snapshots.ts'
import { getPbsStatus } from './get-pbs-status.ts'

/** The tools over a backup server. */
export const pbsTools = [getPbsStatus, getPbsSnapshots]
