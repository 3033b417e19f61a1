import type { Gate } from '../calls/room.ts'
import type { Foundation } from '../foundation.ts'
import { defineRoom, type JarvisFacts } from '../house.ts'
import type { Config } from './config.ts'
import { watchDataDir } from './policy-file.ts'
import { placeOf } from './proxmox.ts'

/** Watches the files of the data dir. Tells `files.changed`. */
export const filesRoom = defineRoom({
  name: 'files',
  open({ foundation, facts }: { foundation: Pick<Foundation, 'dataDir' | 'clock' | 'report'>; facts: JarvisFacts }) {
    const { dataDir, clock, report } = foundation
    const filesChanged = facts.teller('files.changed')
    let watching: { close(): void } | undefined
    return {
      resume() {
        watching = watchDataDir(dataDir, { clock, report, look: () => filesChanged(undefined) })
      },
      stop: () => watching?.close(),
    }
  },
})

const key = 'cluster'

/**
 * Compares the connected cluster with that of the last start. In another cluster the same VMID is another guest, so every grant is revoked and every
 * change is closed. Tells `cluster.left`.
 */
export const formerClusterRoom = defineRoom({
  name: 'former-cluster',
  open(needs: {
    foundation: Pick<Foundation, 'settings' | 'log'>
    config: Pick<Config, 'proxmox'>
    facts: JarvisFacts
    gate: Pick<Gate, 'grants' | 'changes'>
  }) {
    const { settings, log } = needs.foundation
    const { grants, changes } = needs.gate
    const clusterLeft = needs.facts.teller('cluster.left')
    const place = placeOf(needs.config)
    const before = settings.get(key)
    const isAnother = before !== undefined && before !== place
    return {
      formerCluster: {
        isAnother,
        /**
         * Ends everything that belonged to the former cluster, in all rooms. @throws Error if a room could not; the start must then end, and the
         * next start tries again
         */
        leave() {
          if (isAnother && !clusterLeft(undefined))
            throw new Error('What belonged to the former cluster could not be ended. The log says why.')
        },
        /** Stores the connected cluster for the next start, once the former cluster's runs and cards have ended. */
        keep: () => before === place || settings.set(key, place),
      },
      resume() {
        if (!isAnother) return
        for (const { id } of grants.list()) grants.revoke(id, 'jarvis')
        changes.close('It was made on another cluster.')
        log('Another cluster is connected: what waited, ran or was granted for the one before has ended.', 'info')
      },
    }
  },
})
