import { ApiError } from 'homelab-ports/failure'
import { type DoctorCheck, drillPool } from 'protocol'
import type { Config } from '../config/config.ts'
import type { ProxmoxConfig } from '../config/proxmox.ts'
import { drillLine, drillRights, poolLine } from '../drill/rights.ts'
import { Transport } from '../homelab/connect.ts'
import type { Clock } from '../lib/clock.ts'
import { bad, ok, warn } from './check.ts'

/** Checks the restore drill's token and pool. */
export async function drillChecks(
  cluster: ProxmoxConfig,
  { token, ids }: Config['drill'],
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<DoctorCheck[]> {
  const area = 'Restore drill'
  const api = new Transport({ ...cluster, ...token }, () => clock.now())
  const own =
    token === undefined
      ? [
          ok(
            area,
            `Not chosen: a token of its own. The drill uses the main token, so that only JARVIS’s own checks limit what it destroys. To give it one, on a node: ${drillLine(ids)}; then set PROXMOX_DRILL_TOKEN_ID='jarvis-drill@pve!drill' and its secret.`,
          ),
        ]
      : [ok(area, `It uses the token ${token.tokenId}.`)]
  try {
    const pool = ['pools', drillPool]
    await api.get(pool, {}, { signal })
    const path = `/pool/${drillPool}`
    const permissions = (await api.get(['access', 'permissions'], { path }, { signal })) as Record<string, object>
    const missing = drillRights.filter((right) => !Object.hasOwn(permissions[path] ?? {}, right))
    if (missing.length === 0) return [...own, ok(area, `The pool ${drillPool} is there, and the token may use it.`)]
    const text = `On the pool ${drillPool} the token lacks ${missing.join(', ')}.`
    return [
      ...own,
      token === undefined ? ok(area, `${text} drill_restore does not work without.`) : warn(area, text, drillLine(ids)),
    ]
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.status === 401)
      return [bad(area, `The drill’s token is refused: ${error.message}`, `On a node: ${drillLine(ids)}`)]
    if (token === undefined)
      return [ok(area, `Not chosen: the pool ${drillPool}, without which drill_restore does not work.`), ...own]
    return [...own, warn(area, `The pool ${drillPool} cannot be read: ${error.words}.`, `On a node: ${poolLine}`)]
  } finally {
    api.close()
  }
}
