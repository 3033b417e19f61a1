import { listChanges } from './list-changes.ts'
import { undo } from './undo.ts'

/** The tools over changes that JARVIS made. */
export const changeTools = [listChanges, undo]
