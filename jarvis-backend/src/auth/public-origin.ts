import type { IncomingMessage } from 'node:http'
import { hostOf } from './request-guard.ts'

export type OriginOf = (request: Pick<IncomingMessage, 'headers'>) => string

/**
 * Finds the origin that a client uses for this server: the public URL's origin if the Host header names its host, otherwise http with the Host
 * header. The request guard has checked the Host before.
 */
export function createOriginOf(publicUrl: string | undefined): OriginOf {
  const known = publicUrl === undefined ? undefined : new URL(publicUrl)
  return ({ headers }) => {
    if (known !== undefined && hostOf(`${known.protocol}//${headers.host ?? ''}`)?.full === known.host) {
      return known.origin
    }
    return `http://${hostOf(`http://${headers.host ?? ''}`)?.full ?? 'localhost'}`
  }
}
