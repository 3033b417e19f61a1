import { Display, EndedAccess, type Factors, JarvisError, MeReply, SignInInfo } from 'protocol'
import { z } from 'zod'
import type { Displays } from '../auth/displays.ts'
import { signedOut } from '../auth/people.ts'
import type { SignInList } from '../auth/sign-in-list.ts'
import type { SignInStore } from '../auth/sign-ins.ts'
import { Ok, ok, type Route, route } from './route.ts'

/** A change of a person's sign-ins, for the journal. */
export type SignInChange = { what: 'ended' | 'others_ended'; by: string; signIn?: string }

/** `/api/auth/me` and `/api/auth/sign-ins`: the caller, and the places where the caller is signed in. */
export function signInRoutes(parts: {
  signIns: Pick<SignInStore, 'get' | 'end' | 'endAll'>
  list: SignInList
  factorsOf(person: string): Factors
  displays: Displays
  durably<T>(work: () => T): T
  record(change: SignInChange): void
  /** Ends what a person paired with channels and web push, within the transaction. @returns the names of what ended */
  endChannels(person: string, why: string): string[]
  /** Checks open connections again, because their sign-in may have ended. */
  ended(): void
}): Route[] {
  const { signIns, list, durably, record } = parts
  return [
    route('/auth/me').get(
      'The person who is signed in, since when and with what.',
      { role: 'viewer', forMembers: true, reply: MeReply },
      ({ identity }) => {
        const signIn = identity.signIn === undefined ? undefined : list.asking(identity.signIn)
        const { person, role } = identity
        return {
          person,
          role,
          ...(signIn && { signIn }),
          factors: parts.factorsOf(person.id),
          display: parts.displays.of(person.id),
        }
      },
    ),
    route('/auth/display').put(
      'Sets how the dashboard looks for you, in browsers where you chose nothing else. What is left out is as it comes.',
      { role: 'viewer', forMembers: true, body: Display, reply: Display },
      ({ body, identity }) => {
        parts.displays.set(identity.person.id, body)
        return body
      },
    ),
    route('/auth/sign-ins').get(
      'Your sign-ins, the newest use first, and until when each lasts at most: `idleEndsAt` without another use, `endsAt` whatever happens.',
      { role: 'viewer', forMembers: true, reply: z.object({ items: z.array(SignInInfo) }) },
      ({ identity }) => ({ items: list.of(identity.person.id, identity.signIn) }),
    ),
    route('/auth/sign-ins/:id').delete(
      'Ends one of them.',
      { role: 'viewer', forMembers: true },
      ({ params: { id }, identity, by }) => {
        durably(() => {
          if (signIns.get(id)?.person !== identity.person.id || !signIns.end(id)) {
            throw new JarvisError('not_found', 'You are not signed in there any more.')
          }
          record({ what: 'ended', by, signIn: id })
        })
        parts.ended()
      },
    ),
    route('/auth/sign-out-others').post(
      'Ends all of them but this one, and what you paired with channels and web push.',
      { role: 'viewer', forMembers: true, reply: Ok.extend({ ended: EndedAccess }) },
      ({ identity, by }) => {
        const { person, signIn } = identity
        const ended = durably(() => {
          const clients = list.of(person.id, signIn).flatMap((one) => (one.isThis ? [] : [one.client]))
          signIns.endAll(person.id, signIn)
          // A lost phone could also approve through messages of a channel, so pairings end too.
          const pairings = parts.endChannels(person.id, signedOut)
          record({ what: 'others_ended', by })
          return { signIns: clients, pairings }
        })
        parts.ended()
        return { ...ok, ended }
      },
    ),
  ]
}
