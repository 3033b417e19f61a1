import type { OriginOf } from '../auth/public-origin.ts'
import { SshCountersignBody, SshKeyBody, SshKeyInfo, SshKeyReply, SshKeysReply } from '../protocol/index.ts'
import type { SshKeys } from '../signing/ssh-keys.ts'
import { del, get, post, type Route } from './route.ts'

/** `/api/signers/ssh`: a person's keys of OpenSSH, by which decisions are signed at a terminal. */
export const sshKeyRoutes = (sshKeys: SshKeys, originOf: OriginOf): Route[] => [
  get(
    '/signers/ssh',
    'Your [SSH keys](signed-decisions.md#by-terminal) that sign decisions.',
    { role: 'member', reply: SshKeysReply },
    ({ by }) => ({ items: sshKeys.list(by) }),
  ),
  post(
    '/signers/ssh',
    'Enrols your first key. Beside other keys or passkeys the reply has `countersign`: what an older one must sign within five minutes.',
    { role: 'member', password: true, body: SshKeyBody, reply: SshKeyReply },
    ({ by, body: { key, name }, request }) => sshKeys.enrol(by, name, key, originOf(request)),
  ),
  post(
    '/signers/ssh/countersign',
    'Enrols a key that an older key or passkey of yours has signed now.',
    { role: 'member', password: true, body: SshCountersignBody, reply: SshKeyInfo },
    ({ by, body }) => sshKeys.countersign(by, body),
  ),
  del(
    '/signers/ssh/:id',
    'Removes a key of yours. It decides no more; what it has signed stays valid.',
    { role: 'member', password: true },
    ({ by, params }) => sshKeys.remove(by, params.id),
  ),
]
