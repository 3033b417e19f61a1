import type { Config } from '../config/config.ts'
import { placeOf } from '../config/proxmox.ts'
import type { Foundation } from './foundation.ts'
import type { Gate } from './gate.ts'

const key = 'cluster'

/**
 * Revokes every grant and closes every change when another cluster is connected than at the last start, because the same vmid is then another guest. `isAnother`: the caller
 * must end the old cluster's runs and cards. `keep` stores the connected cluster for the next start.
 */
export function leaveAnotherCluster(
  { settings, log }: Pick<Foundation, 'settings' | 'log'>,
  config: Pick<Config, 'proxmox'>,
  { grants, changes }: Pick<Gate, 'grants' | 'changes'>,
) {
  const place = placeOf(config)
  const before = settings.get(key)
  const isAnother = before !== undefined && before !== place
  if (isAnother) {
    for (const { id } of grants.list()) grants.revoke(id, 'jarvis')
    changes.close('It was made on another cluster.')
    log('Another cluster is connected: what waited, ran or was granted for the one before has ended.', 'info')
  }
  return { isAnother, keep: () => before === place || settings.set(key, place) }
}
