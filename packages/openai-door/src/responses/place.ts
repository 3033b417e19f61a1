import { ApiError } from '../errors.ts'

/** The session and the run of a response. */
export type Place = { sessionId: string; runId: string }

/** Returns the part of a session's id after the prefix of its token. */
const shortId = (sessionId: string): string => sessionId.slice(sessionId.lastIndexOf('_') + 1)

/** The common part of the ids of a response and its items. It names session and run, so no table is needed. */
const stem = ({ sessionId, runId }: Place): string => `${shortId(sessionId)}_${runId.replace(/^run_/, '')}`

export const responseId = (place: Place): string => `resp_${stem(place)}`

/** @param part names the item within its response */
export const itemId = (kind: 'msg' | 'rs' | 'mcp' | 'fc' | 'jc', place: Place, part: string): string =>
  `${kind}_${stem(place)}_${part}`

/**
 * Returns the session and the run that an id of a response or an item names; undefined if the id is not in JARVIS's form. `session`: the part of the
 * session's id after the prefix of its token.
 */
export function namedIn(id: string): { session: string; runId: string } | undefined {
  const [, session, run] = /^(?:resp|msg|rs|mcp|fc|jc)_([^_]{1,60})_([^_]{1,60})(?:_.{1,200})?$/.exec(id) ?? []
  return session === undefined ? undefined : { session, runId: `run_${run}` }
}

export const unknownResponse = (id: string, param?: string): ApiError =>
  new ApiError('not_found', `This token has no response or item ${JSON.stringify(id.slice(0, 100))}.`, {
    status: 404,
    param,
  })
