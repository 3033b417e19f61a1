import { ApiTokenBody, ApiTokenInfo, ApiTokenReply, type Door, JarvisError } from 'protocol'
import { z } from 'zod'
import type { ApiTokens } from '../auth/api-tokens.ts'
import { reaches } from '../auth/reach.ts'
import { isBounded } from '../auth/roles.ts'
import { type Route, route } from './route.ts'

export type TokenRouteParts = {
  tokens: ApiTokens
  /** Ends the open requests of a revoked token and withdraws its waiting cards. */
  revoked(name: string, by: string): void
}

/** The doors at which a member sees only the part of the cluster that the member may see. */
const membersDoors: readonly Door[] = ['mcp', 'v1', 'api']

const dayMs = 24 * 60 * 60_000

/** Creates a token from a request body. `expiresInDays` is converted to the time of its expiry. */
export function makeToken(
  tokens: ApiTokens,
  { expiresInDays, ...rights }: ReturnType<typeof ApiTokenBody.parse>,
  by: string,
): ApiTokenReply {
  const expiry = expiresInDays === undefined ? {} : { expiresInMs: expiresInDays * dayMs }
  const token = tokens.create({ ...rights, ...expiry }, by)
  const made = tokens.list().find(({ name }) => name === rights.name)
  if (made === undefined) throw new JarvisError('not_found', `${rights.name} was revoked as it was made.`)
  return { ...made, token }
}

/** `/api/tokens`: lists, makes and revokes tokens. A token's secret is shown once, when it is made. */
export const tokenRoutes = ({ tokens, revoked }: TokenRouteParts): Route[] => [
  route('/tokens').get(
    'The tokens of programs; of whoever is no operator, their own.',
    { role: 'member', reply: z.object({ items: z.array(ApiTokenInfo) }) },
    ({ identity: { person } }) => ({ items: tokens.list().filter((token) => reaches(person, token.person)) }),
  ),
  route('/tokens').post(
    'Makes a [token](tokens.md). `token` is shown once. It acts in your name and never does more than you may.',
    { role: 'member', password: true, status: 201, body: ApiTokenBody, reply: ApiTokenReply },
    ({ body, by, identity: { person } }) => {
      const closed = isBounded(person.role) ? body.doors.find((door) => !membersDoors.includes(door)) : undefined
      if (closed !== undefined) {
        throw new JarvisError(
          'forbidden',
          `doors: ${closed} shows the whole cluster. Yours are ${membersDoors.join(', ')}.`,
        )
      }
      const area = isBounded(person.role) ? body.areas?.[0] : undefined
      if (area !== undefined)
        throw new JarvisError(
          'forbidden',
          `areas: ${area} shows what others said to JARVIS. Your role does not see it.`,
        )
      return makeToken(tokens, body, by)
    },
  ),
  route('/tokens/:name').delete(
    'Revokes a token; whoever is no operator, one of their own.',
    { role: 'member' },
    ({ params: { name }, by, identity: { person } }) => {
      const token = tokens.list().find((one) => one.name === name)
      if (token !== undefined && !reaches(person, token.person))
        throw new JarvisError('not_found', `There is no token ${name}.`)
      tokens.revoke(name, by)
      revoked(name, by)
    },
  ),
]
