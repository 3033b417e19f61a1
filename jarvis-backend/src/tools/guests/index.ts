import { backUpGuest } from './back-up-guest.ts'
import { cloneGuest } from './clone-guest.ts'
import { createGuest } from './create-guest.ts'
import { deleteSnapshot } from './delete-snapshot.ts'
import { destroyGuest } from './destroy-guest.ts'
import { getGuestConfig } from './get-guest-config.ts'
import { listSnapshots } from './list-snapshots.ts'
import { migrateGuest } from './migrate-guest.ts'
import { resizeDisk } from './resize-disk.ts'
import { restoreGuest } from './restore-guest.ts'
import { rollbackSnapshot } from './rollback-snapshot.ts'
import { runInGuest } from './run-in-guest.ts'
import { setGuestConfig } from './set-guest-config.ts'
import { takeSnapshot } from './take-snapshot.ts'

/** The tools over guests. */
export const guestTools = [
  listSnapshots,
  takeSnapshot,
  deleteSnapshot,
  rollbackSnapshot,
  getGuestConfig,
  setGuestConfig,
  resizeDisk,
  backUpGuest,
  cloneGuest,
  createGuest,
  restoreGuest,
  migrateGuest,
  destroyGuest,
  runInGuest,
]
