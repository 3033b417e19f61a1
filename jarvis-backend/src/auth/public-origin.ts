import type { IncomingMessage } from 'node:http'
import { hostOf } from './request-guard.ts'

/**
 * Under which origin a client sees this server: the public one where the request came under its name, else what the Host
 * says. The request guard has let that name pass.
 */
export function createOriginOf(publicUrl: string | undefined) {
  const known = publicUrl === undefined ? undefined : new URL(publicUrl)
  return ({ headers }: Pick<IncomingMessage, 'headers'>): string => {
    if (known !== undefined && hostOf(`${known.protocol}//${headers.host ?? ''}`)?.full === known.host) {
      return known.origin
    }
    return `http://${hostOf(`http://${headers.host ?? ''}`)?.full ?? 'localhost'}`
  }
}
export type OriginOf = ReturnType<typeof createOriginOf>
