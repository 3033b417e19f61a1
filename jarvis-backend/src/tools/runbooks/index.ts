import { listRunbooks } from './list-runbooks.ts'
import { runRunbook } from './run-runbook.ts'

/** The tools over the runbooks of the workspace. */
export const runbookTools = [listRunbooks, runRunbook]
