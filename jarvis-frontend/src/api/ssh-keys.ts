import type { SshKeyInfo, SshKeyReply } from 'protocol'
import { askPasskey } from '../lib/passkeys.ts'
import { ApiError, call } from './http.ts'

export const listSshKeys = () => call<{ items: SshKeyInfo[] }>('GET', '/api/signers/ssh')
export const removeSshKey = (id: string) => call<void>('DELETE', `/api/signers/ssh/${encodeURIComponent(id)}`)

const ofPerson = (id: string) => `/api/people/${encodeURIComponent(id)}/signers/ssh`
/** Lists another person's SSH keys. For owners. */
export const listSshKeysOf = (id: string) => call<{ items: SshKeyInfo[] }>('GET', ofPerson(id))
/** Removes another person's SSH key. For owners. @throws ApiError `not_found` if the key does not exist */
export const removeSshKeyOf = (id: string, key: string) =>
  call<void>('DELETE', `${ofPerson(id)}/${encodeURIComponent(key)}`)

/**
 * Enrols an SSH key. If the person has passkeys, one of them must countersign the key.
 * @param key a line of a `.pub` file. @param name empty: the comment of that line
 * @throws ApiError, also if only an older SSH key can countersign; Error if the person declined
 */
export async function addSshKey(key: string, name: string): Promise<void> {
  const { countersign } = await call<SshKeyReply>('POST', '/api/signers/ssh', { key, name })
  if (countersign === undefined) return
  const { options, sshKeys } = countersign
  if (options === undefined)
    throw new ApiError(
      'conflict',
      sshKeys.length === 0
        ? 'A passkey of yours must sign this key, and passkeys do not work at this address.'
        : 'An older key of yours must sign this key: npm run jarvis -- signers add FILE.pub --sign OLDER_KEY.',
    )
  await call<SshKeyInfo>('POST', '/api/signers/ssh/countersign', { response: await askPasskey(options) })
}
