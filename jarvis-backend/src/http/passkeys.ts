import type { Request } from 'express'
import {
  LoginReply,
  Passkey,
  type PasskeyAssertion,
  PasskeyBody,
  PasskeyCountersignBody,
  PasskeyPatchBody,
  PasskeyReply,
  PasskeySignInBody,
  PasskeysReply,
  WebAuthnOptions,
} from 'protocol'
import { z } from 'zod'
import type { Passkeys } from '../access/passkeys.ts'
import type { People } from '../auth/people.ts'
import type { OriginOf } from '../auth/public-origin.ts'
import type { Entrance } from './entrance.ts'
import { type Route, route } from './route.ts'

/** `/api/passkeys`, `/api/people/:id/passkeys` and `/api/auth/passkey`: a person's passkeys, and the sign-in with a passkey. */
export function passkeyRoutes(parts: {
  passkeys: Passkeys
  people: Pick<People, 'must'>
  originOf: OriginOf
  /** The name of the person that authenticators show. */
  labelOf(person: string): string
  /** Checks a passkey, and counts a refused one. @returns the person's id */
  prove(request: Request, response: PasskeyAssertion): Promise<string>
  /** Signs in the person whose passkey was checked. */
  entrance: Pick<Entrance, 'enter'>
  /** Checks open connections again, because their sign-in may have ended. */
  ended(): void
}): Route[] {
  const { passkeys, people, originOf, labelOf, prove, entrance, ended } = parts
  return [
    route('/passkeys').get(
      'Your [passkeys](signed-decisions.md#passkeys). `problem` says why none works at this address, and what to do.',
      { role: 'viewer', forMembers: true, reply: PasskeysReply },
      ({ by, request }) => {
        const problem = passkeys.problem(originOf(request))
        return { items: passkeys.list(by), problem }
      },
    ),
    route('/passkeys/options').post(
      'Options for `navigator.credentials.create`; they count for five minutes.',
      { role: 'viewer', forMembers: true, password: true, reply: WebAuthnOptions },
      ({ by, request }) => passkeys.enrolOptions({ person: by, label: labelOf(by), origin: originOf(request) }),
    ),
    route('/passkeys').post(
      'Enrols your first passkey. Beside others the reply has `countersign`: options by which an older one signs the new one.',
      { role: 'viewer', forMembers: true, password: true, body: PasskeyBody, reply: PasskeyReply },
      ({ by, body: { name, response } }) => passkeys.enrol(by, name, response),
    ),
    route('/passkeys/countersign').post(
      'Enrols a passkey that an older one of yours has signed now.',
      { role: 'viewer', forMembers: true, password: true, body: PasskeyCountersignBody, reply: Passkey },
      ({ by, body: { response } }) => passkeys.countersign(by, response),
    ),
    route('/passkeys/:id').patch(
      'Renames a passkey of yours.',
      { role: 'viewer', forMembers: true, body: PasskeyPatchBody },
      ({ by, params, body: { name } }) => passkeys.rename(by, params.id, name),
    ),
    route('/passkeys/:id').delete(
      'Removes a passkey of yours. It signs in and decides no more, and the sign-ins made with it end, except this one; what it has signed stays valid.',
      { role: 'viewer', forMembers: true, password: true },
      ({ by, identity, params }) => {
        passkeys.remove(by, params.id, { by, signIn: identity.signIn })
        ended()
      },
    ),
    route('/people/:id/passkeys').get(
      'A person’s passkeys.',
      { role: 'owner', reply: z.object({ items: z.array(Passkey) }) },
      ({ params: { id } }) => ({ items: passkeys.list(people.must(id).id) }),
    ),
    route('/people/:id/passkeys/:passkey').delete(
      'Removes a passkey of a person who has lost it. It signs in and decides no more, and the sign-ins made with it end; what it has signed stays valid.',
      { role: 'owner', password: true },
      ({ params, by, identity }) => {
        passkeys.remove(people.must(params.id).id, params.passkey, { by, signIn: identity.signIn })
        ended()
      },
    ),
    route('/auth/passkey/options').post(
      'Options for `navigator.credentials.get`, to sign in or to step up. They count once, for five minutes. Refused with what to do at an address where passkeys do not work.',
      { role: 'public', reply: WebAuthnOptions },
      ({ request }) => passkeys.signInOptions(originOf(request)),
    ),
    route('/auth/passkey').post(
      'Signs in with a passkey. `expiresIn` is seconds.',
      { role: 'public', body: PasskeySignInBody, reply: LoginReply },
      async ({ body, request, response }) => {
        const person = await prove(request, body.response)
        return entrance.enter(person, { request, response }, { method: 'passkey', passkey: body.response.id })
      },
    ),
  ]
}
