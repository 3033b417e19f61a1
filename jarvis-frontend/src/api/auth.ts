import type { Display, MeReply, Role, SignInReply } from 'protocol'
import { keep } from '../lib/keep.ts'
import { Value } from '../lib/value.ts'
import { ApiError, call } from './http.ts'
import { passwordQuestion } from './step-up.ts'

/** Rights of a person, from least to most. A person with a role of policy.yaml is a member. */
type Rank = 'viewer' | 'member' | 'operator' | 'owner'
/** `key`: of the sign-in. `token`: absent where a cookie holds it. `id`: the person's. `mayAsk`: may chat and ask for calls. */
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

/** Reads what is kept of a sign-in, a token or its claims, for display only; the server checks it. */
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
      // The claim is as old as the sign-in; the person's role may have changed since.
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

/** Keeps what a reply says of the sign-in in this browser and signs in with it. */
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

/** Looks who is signed in: an owner may have changed name or role since. @returns how the dashboard looks for that person, who is signed in still */
export async function renewPerson(): Promise<Display | undefined> {
  const before = signedIn.get()
  const { person, display } = await call<MeReply>('GET', '/api/auth/me')
  const isSame = person.name === keep.get('name') && person.role === keep.get('role')
  if (before === undefined || before !== signedIn.get()) return undefined
  if (!isSame) enter(before.key, person)
  return display
}

/** Keeps for every browser of the person how the dashboard looks. */
export const keepDisplay = (display: Display) => call<Display>('PUT', '/api/auth/display', display)

/** Forgets the sign-in in this browser. Unsent text stays. */
export function forget(): void {
  for (const key of ['token', 'name', 'role', 'own.theme', 'own.density', 'own.letters']) keep.set(key, undefined)
  passwordQuestion.get()?.answer(false)
  signedIn.set(undefined)
}

/** Why the server may count the last sign-in here still; undefined where it does not. */
export const signOutProblem = new Value<string | undefined>(undefined)

export async function signOut(): Promise<void> {
  const problem = await call('POST', '/api/auth/logout').then(
    () => undefined,
    // It had ended before.
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
