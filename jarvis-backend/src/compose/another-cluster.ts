import type { Config } from '../config/config.ts'
import { placeOf } from '../config/proxmox.ts'
import type { Foundation } from './foundation.ts'
import type { Gate } from './gate.ts'

const key = 'cluster'

/**
 * Where another cluster is connected than at the last start, nothing that was asked or allowed there holds here: the guest of
 * that id is another one. Its grants are revoked. `isAnother`: its runs and cards are to end too; `keep` then remembers this one.
 */
export function leaveAnotherCluster(
  { settings, log }: Pick<Foundation, 'settings' | 'log'>,
  config: Pick<Config, 'proxmox'>,
  grants: Gate['grants'],
) {
  const place = placeOf(config)
  const before = settings.get(key)
  const isAnother = before !== undefined && before !== place
  if (isAnother) {
    for (const { id } of grants.list()) grants.revoke(id, 'jarvis')
    log('Another cluster is connected: what waited, ran or was granted for the one before has ended.', 'info')
  }
  return { isAnother, keep: () => before === place || settings.set(key, place) }
}
