import { drillRestore } from './drill-restore.ts'
import { listRestoreProofs } from './list-restore-proofs.ts'

/** The tools over restore drills. */
export const drillTools = [drillRestore, listRestoreProofs]
