import { z } from 'zod'
import type { ApiTokens } from '../auth/api-tokens.ts'
import { ApiTokenBody, ApiTokenInfo, ApiTokenReply, JarvisError } from '../protocol/index.ts'
import { del, get, post, type Route } from './route.ts'

export type TokenRouteParts = {
  tokens: ApiTokens
  /** Ends the open requests of a revoked token and withdraws its waiting cards. */
  revoked(name: string, by: string): void
}

const dayMs = 24 * 60 * 60_000

/** Makes a token from a body. `expiresInDays` becomes its expiry. */
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

/** `/api/tokens`, for operators: lists, makes and revokes tokens. A token's secret is shown once, when it is made. */
export const tokenRoutes = ({ tokens, revoked }: TokenRouteParts): Route[] => [
  get(
    '/tokens',
    'The tokens of programs.',
    { role: 'operator', reply: z.object({ items: z.array(ApiTokenInfo) }) },
    () => ({ items: tokens.list() }),
  ),
  post(
    '/tokens',
    'Makes a token. `token` is shown once.',
    { role: 'operator', password: true, status: 201, body: ApiTokenBody, reply: ApiTokenReply },
    ({ body, by }) => makeToken(tokens, body, by),
  ),
  del('/tokens/:name', 'Revokes a token.', { role: 'operator' }, ({ params: { name }, by }) => {
    tokens.revoke(name, by)
    revoked(name, by)
  }),
]
