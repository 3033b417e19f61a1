import { getStorageHealth } from './get-storage-health.ts'
import { getUncoveredGuests } from './get-uncovered-guests.ts'

/** The tools over storages. */
export const storageTools = [getStorageHealth, getUncoveredGuests]
