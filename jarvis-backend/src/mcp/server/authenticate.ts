import type { ApiToken } from '../../auth/api-tokens.ts'

/**
 * The caller of a request. `gone`: aborts when the client hangs up before its answer. `hasLostSession`: it names a session that is gone, and is
 * served without one.
 */
export type Caller = { token: ApiToken; gone: AbortSignal; hasLostSession?: true }

export const authInfoOf = (caller: Caller) => ({
  token: '',
  clientId: caller.token.name,
  scopes: [],
  extra: caller,
})

export const callerOf = (authInfo: { extra?: Record<string, unknown> } | undefined) => authInfo?.extra as Caller
