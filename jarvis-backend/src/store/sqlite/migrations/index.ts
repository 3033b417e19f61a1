import { tokenAreas } from './0060-token-areas.ts'
import { feedback } from './0061-feedback.ts'
import { released1to17 } from './released-1-17.ts'
import { released18to42 } from './released-18-42.ts'
import { released43to59 } from './released-43-59.ts'

/**
 * SQL statements by number, counted from 1. The pragma `user_version` of a database is the number of migrations that have run. Migrations only go
 * forward. A released one is never edited or moved, because `restore` compares the schema of a backup with theirs, byte for byte.
 */
export const migrations: readonly string[] = [
  ...released1to17,
  ...released18to42,
  ...released43to59,
  // From here on, each migration is in its own file, named by its number and subject.
  tokenAreas,
  feedback,
]
