import { ApiError } from 'protocol/client'
import { askPasskey } from '../lib/passkeys.ts'
import { call } from './http.ts'

export const listSshKeys = () => call('GET /api/signers/ssh')
export const removeSshKey = (id: string) => call('DELETE /api/signers/ssh/:id', { params: { id } })

/** Lists another person's SSH keys. For owners. */
export const listSshKeysOf = (id: string) => call('GET /api/people/:id/signers/ssh', { params: { id } })
/** Removes another person's SSH key. For owners. @throws ApiError `not_found` if the key does not exist */
export const removeSshKeyOf = (id: string, key: string) =>
  call('DELETE /api/people/:id/signers/ssh/:key', { params: { id, key } })

/**
 * Enrols an SSH key. If the person has passkeys, one of them must countersign the key.
 * @param key a line of a `.pub` file. @param name empty: the comment of that line
 * @throws ApiError, also if only an older SSH key can countersign; Error if the person declined
 */
export async function addSshKey(key: string, name: string): Promise<void> {
  const { countersign } = await call('POST /api/signers/ssh', { body: { key, name } })
  if (countersign === undefined) return
  const { options, sshKeys } = countersign
  if (options === undefined)
    throw new ApiError(
      'conflict',
      sshKeys.length === 0
        ? 'A passkey of yours must sign this key, and passkeys do not work at this address.'
        : 'An older key of yours must sign this key: npm run jarvis -- signers add FILE.pub --sign OLDER_KEY.',
    )
  await call('POST /api/signers/ssh/countersign', { body: { response: await askPasskey(options) } })
}
