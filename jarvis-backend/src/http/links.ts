import type { Request } from 'express'
import { JoinBody, LinkBody, LinkReply, LoginReply, ResetBody } from 'protocol'
import type { ClientAddressOf } from '../auth/client-address.ts'
import type { Links } from '../auth/links.ts'
import { type LoginGuard, linkBudgets } from '../auth/login.ts'
import type { PersonPasswords } from '../auth/person-passwords.ts'
import type { SecondFactors } from '../auth/second-factor.ts'
import type { Entrance } from './entrance.ts'
import { type Route, route } from './route.ts'

/** `/api/auth/link`, `join` and `reset`: the routes for a person who received a link. The secret is in the body, never in a URL. */
export function linkRoutes(parts: {
  links: Links
  guard: LoginGuard
  addressOf: ClientAddressOf
  passwords: Pick<PersonPasswords, 'hashOf' | 'change' | 'requireGood'>
  factors: Pick<SecondFactors, 'check'>
  /** Called after a person's password changed: their open connections are no longer valid. */
  changed(person: string): void
  /** Signs in the person whose link was used. */
  entrance: Pick<Entrance, 'enter'>
}): Route[] {
  const { links, guard, addressOf, passwords, factors, entrance } = parts

  /**
   * Looks up a link. A link that is not valid is counted, because nobody sends one by chance. A valid link is accepted whatever the count is;
   * otherwise strangers in the same network could lock out its holder. The secret has 128 bits and cannot be guessed. @throws JarvisError
   * `too_many_requests`, `not_found`
   */
  function counted<T>(request: Request, look: () => T): T {
    try {
      return look()
    } catch (error) {
      guard.enter(linkBudgets(addressOf(request)))
      throw error
    }
  }
  return [
    route('/auth/link').post(
      'The purpose of a link that somebody was given: `secret` is the part after the last `/`. A link that does not count is 404, whatever the reason.',
      { role: 'public', body: LinkBody, reply: LinkReply },
      ({ body: { secret }, request }) => counted(request, () => links.look(secret)),
    ),
    route('/auth/join').post(
      'Uses an [invitation](people.md#invite-somebody): makes the person, with the role that it has, and signs in.',
      { role: 'public', body: JoinBody, reply: LoginReply },
      async ({ body: { secret, name, password }, request, response }) => {
        counted(request, () => links.requireInvitation(secret))
        const hash = await passwords.hashOf(password, name)
        return entrance.enter(links.join({ secret, name, hash }).id, { request, response }, { method: 'invitation' })
      },
    ),
    route('/auth/reset').post(
      'Uses a link for a [new password](people.md#a-lost-password): sets it, ends all sign-ins of that person, and signs in. A person with a second factor gives `code` too.',
      { role: 'public', body: ResetBody, reply: LoginReply },
      async ({ body: { secret, password, code }, request, response }) => {
        const person = counted(request, () => links.requireReset(secret))
        // Check the new password first: a password that is refused must not use up a code of the second factor.
        passwords.requireGood(person, password)
        await factors.check(person, code, false)
        await passwords.change(person, password, { by: person, within: () => links.useReset(secret) })
        parts.changed(person)
        return entrance.enter(person, { request, response }, { method: 'reset' })
      },
    ),
  ]
}
