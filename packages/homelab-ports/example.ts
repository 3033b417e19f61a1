import { ApiError, failureOf } from 'homelab-ports/failure'
import type { PveReader } from 'homelab-ports/ports'

/** A cluster whose token may read nothing. */
const api: PveReader = {
  get: () =>
    Promise.reject(
      failureOf(
        { status: 403, phrase: 'Forbidden', text: '{"message":"Permission check failed (/, Sys.Audit)"}' },
        { host: 'pve1.lan', tokenId: 'jarvis@pve!jarvis', isChange: false },
      ),
    ),
}

/** Returns Proxmox's own message for a read that failed. */
export const example = (): Promise<string> =>
  api.get(['cluster', 'status'], {}, { signal: new AbortController().signal }).then(
    () => 'read',
    (error: unknown) => (error instanceof ApiError ? error.words : String(error)),
  )
