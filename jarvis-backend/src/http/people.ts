import { houseRoles, PeopleReply, Person, PersonPatchBody, SignInInfo } from 'protocol'
import { z } from 'zod'
import type { People } from '../auth/people.ts'
import { isAtLeast } from '../auth/roles.ts'
import type { SignInList } from '../auth/sign-in-list.ts'
import { Ok, ok, type Route, route } from './route.ts'

/** `/api/people`: the people who may sign in, and their rights. */
export function peopleRoutes(parts: {
  people: Pick<People, 'list' | 'must' | 'names' | 'change' | 'remove' | 'signOut'>
  signIns: Pick<SignInList, 'of'>
  ownRoles(): readonly string[]
  hasSecondFactor(person: string): boolean
}): Route[] {
  const { people, signIns } = parts
  return [
    route('/people').get(
      'People who may sign in, and the roles that can be given. Owners are told more about each.',
      { role: 'viewer', forMembers: true, reply: PeopleReply },
      ({ identity }) => {
        const present = people.list()
        const isOwner = isAtLeast(identity.person.role, 'owner')
        return {
          items: present.map((person) => {
            const { id, name, role } = person
            if (!isOwner) return { id, name, role }
            const more = { ...person, signIns: signIns.of(id).length }
            return parts.hasSecondFactor(id) ? { ...more, secondFactor: true as const } : more
          }),
          removed: people.names().filter(({ id }) => !present.some((person) => person.id === id)),
          roles: [...new Set([...houseRoles, ...parts.ownRoles()])],
        }
      },
    ),
    route('/people/:id').patch(
      'Renames a person, changes the role, disables or enables. It counts at once, also where the person is signed in. The last owner stays one.',
      { role: 'owner', password: true, body: PersonPatchBody, reply: Person },
      ({ params: { id }, body, by }) => people.change(id, body, by),
    ),
    route('/people/:id').delete(
      '[Removes a person](people.md#remove-somebody): sign-ins, passkeys, tokens, grants and push devices end, jobs are paused, waiting cards are withdrawn.',
      { role: 'owner', password: true },
      ({ params: { id }, by }) => people.remove(id, by),
    ),
    route('/people/:id/sign-out').post(
      'Signs a person out everywhere; channels and web push that they paired end too.',
      { role: 'owner', reply: Ok },
      ({ params: { id }, by }) => {
        people.signOut(id, by)
        return ok
      },
    ),
    route('/people/:id/sign-ins').get(
      'Sign-ins of a person, the newest use first.',
      { role: 'owner', reply: z.object({ items: z.array(SignInInfo) }) },
      ({ params: { id } }) => ({ items: signIns.of(people.must(id).id) }),
    ),
  ]
}
