import type { Display, MeReply, Role, SignInReply } from 'protocol'
import { ApiError } from 'protocol/client'
import { keep } from '../lib/keep.ts'
import { Value } from '../lib/value.ts'
import { call } from './http.ts'
import { passwordQuestion } from './step-up.ts'

/** A person's rights, from least to most. `member`: a person with a role of policy.yaml. */
type Rank = 'viewer' | 'member' | 'operator' | 'owner'
/**
 * The sign-in of a person. `key`: identifies the sign-in. `token`: undefined if a cookie holds it. `id`: the person's id. `mayAsk`: may chat and ask
 * for calls.
 */
export type SignedIn = {
  key: string
  token?: string
  id: string
  name: string
  role: Role
  rank: Rank
  mayAsk: boolean
}

const rankOf = (role: string): Rank => (/^(viewer|operator|owner)$/.test(role) ? (role as Rank) : 'member')

type Claims = { sub?: string; role?: Role; exp?: number }

/** Reads the stored sign-in: a token, or only its claims. Used for display only; the server checks the token. */
function read(key: string): SignedIn | undefined {
  try {
    const isCookie = key.startsWith('{')
    const middle = (key.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')
    const claims = JSON.parse(isCookie ? key : atob(middle)) as Claims
    if ((claims.exp ?? 0) * 1_000 <= Date.now()) return undefined
    const id = claims.sub ?? 'operator'
    const rank = rankOf(keep.get('role') ?? (claims.role === 'operator' ? 'owner' : 'viewer'))
    return {
      key,
      ...(!isCookie && { token: key }),
      id,
      name: keep.get('name') ?? id,
      // The claim is as old as the sign-in. The person's role may have changed since, so the stored role counts.
      role: rank === 'operator' || rank === 'owner' ? 'operator' : 'viewer',
      rank,
      mayAsk: rank !== 'viewer',
    }
  } catch {
    return undefined
  }
}

const kept = keep.get('token')
export const signedIn = new Value<SignedIn | undefined>(kept === undefined ? undefined : read(kept))

/** Stores a sign-in reply in this browser and signs in with it. */
export function takeReply({ token, expiresIn, role, person }: SignInReply): void {
  const exp = Date.now() / 1_000 + expiresIn
  enter(token ?? JSON.stringify({ sub: person.id, role, exp } satisfies Claims), person)
}

function enter(key: string, person: MeReply['person']): void {
  signOutProblem.set(undefined)
  keep.set('name', person.name)
  keep.set('role', person.role)
  keep.set('token', key)
  signedIn.set(read(key))
}

/**
 * Reads who is signed in, because an owner may have changed the name or role. @returns the person's display settings; undefined if the sign-in has
 * changed meanwhile
 */
export async function renewPerson(): Promise<Display | undefined> {
  const before = signedIn.get()
  const { person, display } = await call('GET /api/auth/me')
  const isSame = person.name === keep.get('name') && person.role === keep.get('role')
  if (before === undefined || before !== signedIn.get()) return undefined
  if (!isSame) enter(before.key, person)
  return display
}

/** Saves the person's display settings for all browsers. */
export const keepDisplay = (display: Display) => call('PUT /api/auth/display', { body: display })

/** Removes the sign-in from this browser. Unsent text stays. */
export function forget(): void {
  for (const key of ['token', 'name', 'role', 'own.theme', 'own.density', 'own.letters']) keep.set(key, undefined)
  passwordQuestion.get()?.answer(false)
  signedIn.set(undefined)
}

/** The reason why the server may still treat the last sign-in of this browser as valid; undefined: there is no such problem. */
export const signOutProblem = new Value<string | undefined>(undefined)

export async function signOut(): Promise<void> {
  const problem = await call('POST /api/auth/logout').then(
    () => undefined,
    // An already ended sign-in is not an error.
    (error: unknown) =>
      error instanceof ApiError && (error.code === 'unauthorized' || error.code === 'token_expired')
        ? undefined
        : error,
  )
  forget()
  if (problem === undefined) return
  const why = problem instanceof ApiError ? problem.message : 'JARVIS did not answer.'
  signOutProblem.set(
    `This browser forgot the sign-in, and JARVIS may count it still: ${why} Sign in again and end it under Settings, People and devices.`,
  )
}
