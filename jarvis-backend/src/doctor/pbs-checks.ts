import type { DoctorCheck } from 'protocol'
import type { PbsConfig } from '../config/pbs.ts'
import { quote } from '../gate/index.ts'
import { readDatastores } from '../homelab/pbs/read.ts'
import { createPbs } from '../homelab/pbs/transport.ts'
import { bad, badFrom, ok, warn } from './check.ts'

const area = 'Backup server'

/** Checks that the backup server can be reached, its certificate, its token and the token's rights. @throws only the signal's reason */
export async function pbsChecks(config: PbsConfig, signal: AbortSignal): Promise<DoctorCheck[]> {
  const pbs = createPbs(config)
  try {
    const { items, missing } = await readDatastores(pbs, { signal, now: Date.now() })
    const fix = `On it: proxmox-backup-manager acl update /datastore DatastoreAudit --auth-id ${quote([config.tokenId])}`
    if (items.length === 0) return [bad(area, `${config.url}: ${missing.join('; ')}.`, fix)]
    const count = `${items.length} ${items.length === 1 ? 'datastore' : 'datastores'}`
    if (missing.length > 0) return [warn(area, `${config.url}: ${missing.join('; ')}.`, fix)]
    return [ok(area, `${config.url} serves: ${count}, token accepted.`)]
  } catch (error) {
    signal.throwIfAborted()
    return [
      badFrom(area, error, 'Is it on, and do PBS_URL, PBS_TOKEN_ID, PBS_TOKEN_SECRET and PBS_FINGERPRINT fit it?'),
    ]
  } finally {
    pbs.close()
  }
}
