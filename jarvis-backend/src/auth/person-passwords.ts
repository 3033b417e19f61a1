import { firstOwnerId, JarvisError, type Person } from 'protocol'
import type { Password } from './password.ts'
import { requireGoodPassword } from './password-rules.ts'
import type { PasswordHasher } from './passwords.ts'
import type { People } from './people.ts'

export type PersonPasswords = {
  /**
   * The person who signs in under a name. Without a name it is the first owner, who once had none; if the first owner is gone, the only owner.
   * @throws JarvisError `invalid_request` if there are several other owners
   */
  named(name: string | undefined): Person | undefined
  /**
   * Checks a person's password. Takes the same time if there is no such person, so that the time does not tell which people exist.
   * @param isKnown as in `PasswordHasher.check`. @throws JarvisError `too_many_requests`
   */
  is(id: string | undefined, given: string, isKnown: boolean): Promise<boolean>
  /**
   * The number of changes of a person's password since the start. Something that was proved with a password is valid only if this number is the same
   * as before the proof.
   */
  changes(id: string): number
  /**
   * Changes a password, and ends all sign-ins of the person.
   * @param how.within runs in the transaction that sets the password; for the first owner, whose password is not in the database, in a transaction
   * before
   * @throws JarvisError `invalid_request` for a password that is easy to guess, `not_found`, `conflict` if another change came first
   */
  change(id: string, next: string, how: { by: string; within?: () => void }): Promise<void>
  /** Checks a person's next password. @throws JarvisError `invalid_request` as `change` */
  requireGood(id: string, next: string): void
  /** Hashes a new person's password. @throws JarvisError `invalid_request` as `change` */
  hashOf(password: string, name: string): Promise<string>
}

/** The passwords of people. The first owner's password is `first`; the others' are stored as hashes with the people. */
export function createPersonPasswords(parts: {
  people: Pick<People, 'byName' | 'list' | 'must' | 'hash' | 'setHash' | 'strengthen' | 'endSignIns'>
  first: Password
  hasher: PasswordHasher
  durably<T>(work: () => T): T
  /** Names of this machine, which are not allowed as passwords. */
  hostNames: readonly string[]
}): PersonPasswords {
  const { people, first, hasher, durably } = parts
  const requireFor = (name: string, password: string) => requireGoodPassword(password, [name, ...parts.hostNames])
  const requireGood = (id: string, next: string) => requireFor(people.must(id).name, next)
  const counts = new Map<string, number>()
  const changes = (id: string) => counts.get(id) ?? 0
  return {
    requireGood,
    changes,
    named(name) {
      if (name !== undefined) return people.byName(name.trim())
      const owners = people.list().filter(({ role, disabledAt }) => role === 'owner' && disabledAt === undefined)
      const first = owners.find(({ id }) => id === firstOwnerId)
      if (first !== undefined) return first
      if (owners.length > 1) {
        throw new JarvisError('invalid_request', 'Several owners sign in here. Give your name too.')
      }
      return owners[0]
    },
    async is(id, given, isKnown) {
      if (id === firstOwnerId) return first.is(given, isKnown)
      const kept = id === undefined ? undefined : people.hash(id)
      const { isRight, isWeak } = await hasher.check(given, kept, isKnown)
      if (id !== undefined && kept !== undefined && isRight && isWeak) {
        people.strengthen(id, kept, await hasher.hash(given))
      }
      return isRight && kept !== undefined
    },
    async change(id, next, { by, within = () => {} }) {
      requireGood(id, next)
      const before = changes(id)
      const begin = () => {
        if (changes(id) !== before) throw new JarvisError('conflict', 'The password was changed meanwhile.')
        within()
      }
      const counted = () => counts.set(id, before + 1)
      if (id === firstOwnerId) {
        await first.change(next, () => {
          durably(begin)
          counted()
        })
        people.endSignIns(id)
        return
      }
      const hash = await hasher.hash(next)
      durably(() => {
        begin()
        people.setHash(id, hash, by)
      })
      counted()
    },
    async hashOf(password, name) {
      requireFor(name, password)
      return hasher.hash(password)
    },
  }
}
