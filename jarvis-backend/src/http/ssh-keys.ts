import { SshCountersignBody, SshKeyBody, SshKeyInfo, SshKeyReply, SshKeysReply } from 'protocol'
import { z } from 'zod'
import type { SshKeys } from '../access/ssh-keys.ts'
import type { People } from '../auth/people.ts'
import type { OriginOf } from '../auth/public-origin.ts'
import { type Route, route } from './route.ts'

/** `/api/signers/ssh` and `/api/people/:id/signers/ssh`: a person's OpenSSH keys, with which decisions are signed in a terminal. */
export const sshKeyRoutes = ({
  sshKeys,
  people,
  originOf,
}: {
  sshKeys: SshKeys
  people: Pick<People, 'must'>
  originOf: OriginOf
}): Route[] => [
  route('/signers/ssh').get(
    'Your [SSH keys](signed-decisions.md#by-terminal) that sign decisions.',
    { role: 'member', reply: SshKeysReply },
    ({ by }) => ({ items: sshKeys.list(by) }),
  ),
  route('/signers/ssh').post(
    'Enrols your first key. Beside other keys or passkeys the reply has `countersign`: what an older one must sign within five minutes.',
    { role: 'member', password: true, body: SshKeyBody, reply: SshKeyReply },
    ({ by, body: { key, name }, request }) => sshKeys.enrol(by, { name, line: key, origin: originOf(request) }),
  ),
  route('/signers/ssh/countersign').post(
    'Enrols a key that an older key or passkey of yours has signed now.',
    { role: 'member', password: true, body: SshCountersignBody, reply: SshKeyInfo },
    ({ by, body }) => sshKeys.countersign(by, body),
  ),
  route('/signers/ssh/:id').delete(
    'Removes a key of yours. It decides no more; what it has signed stays valid.',
    { role: 'member', password: true },
    ({ by, params }) => sshKeys.remove(by, params.id, by),
  ),
  route('/people/:id/signers/ssh').get(
    'A person’s SSH keys.',
    { role: 'owner', reply: z.object({ items: z.array(SshKeyInfo) }) },
    ({ params: { id } }) => ({ items: sshKeys.list(people.must(id).id) }),
  ),
  route('/people/:id/signers/ssh/:key').delete(
    'Removes an SSH key of a person who has lost it. It decides no more; what it has signed stays valid.',
    { role: 'owner', password: true },
    ({ by, params }) => sshKeys.remove(people.must(params.id).id, params.key, by),
  ),
]
