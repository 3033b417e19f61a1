import type { ApiToken } from '../../auth/api-tokens.ts'

/**
 * The caller of a request. `gone`: aborts if the client disconnects before its answer. `hasLostSession`: the request names a session that no longer
 * exists, and is served without a session.
 */
export type Caller = { token: ApiToken; gone: AbortSignal; hasLostSession?: true }

export const authInfoOf = (caller: Caller) => ({
  token: '',
  clientId: caller.token.name,
  scopes: [],
  extra: caller,
})

export const callerOf = (authInfo: { extra?: Record<string, unknown> } | undefined) => authInfo?.extra as Caller
