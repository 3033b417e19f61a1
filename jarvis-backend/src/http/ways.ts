import { WaysReply } from 'protocol'
import type { Passkeys } from '../access/passkeys.ts'
import type { People } from '../auth/people.ts'
import type { OriginOf } from '../auth/public-origin.ts'
import type { SignInElsewhere } from './elsewhere.ts'
import { type Route, route } from './route.ts'

/** `/api/auth/ways`: the ways to sign in, for the sign-in page. It reveals no names of people. */
export function waysRoutes(parts: {
  people: Pick<People, 'list'>
  passkeys: Pick<Passkeys, 'list' | 'problem'>
  originOf: OriginOf
  elsewhere: Pick<SignInElsewhere, 'elsewhere' | 'place'>
}): Route[] {
  const { people, passkeys, originOf } = parts
  const { elsewhere, place } = parts.elsewhere
  return [
    route('/auth/ways').get(
      'Facts for somebody who is not signed in: whether a name is asked for, whether passkeys are there and work at this address, and which other service people sign in at.',
      { role: 'public', reply: WaysReply },
      ({ request }) => {
        const present = people.list().filter(({ disabledAt }) => disabledAt === undefined)
        const origin = originOf(request)
        const problem = passkeys.problem(origin)
        const away = place.problem(origin)
        return {
          named: present.length > 1,
          passkeys: present.some(({ id }) => passkeys.list(id).length > 0),
          problem,
          ...(elsewhere && { elsewhere: { name: elsewhere.name, problem: away } }),
        }
      },
    ),
  ]
}
