import { ApiError } from '../errors.ts'
import { idIn, type ProgramToken, sessionOfId } from '../token.ts'

/** The session and the run of a response. */
export type Place = { sessionId: string; runId: string }

/** The common part of the ids of a response and its items. It names session and run, so no table is needed. Other tokens cannot use it. */
const stem = ({ sessionId, runId }: Place): string => `${idIn(sessionId)}_${runId.replace(/^run_/, '')}`

export const responseId = (place: Place): string => `resp_${stem(place)}`

/** @param part names the item within its response */
export const itemId = (kind: 'msg' | 'rs' | 'mcp' | 'fc' | 'jc', place: Place, part: string): string =>
  `${kind}_${stem(place)}_${part}`

/** Returns the session and the run that an id of a response or an item names, for a token; undefined if the id is not in JARVIS's form. */
export function placeIn(token: ProgramToken, id: string): Place | undefined {
  const [, session, run] = /^(?:resp|msg|rs|mcp|fc|jc)_([^_]{1,60})_([^_]{1,60})(?:_.{1,200})?$/.exec(id) ?? []
  return session === undefined ? undefined : { sessionId: sessionOfId(token, session), runId: `run_${run}` }
}

export const unknownResponse = (id: string, param?: string): ApiError =>
  new ApiError(404, 'not_found', `This token has no response or item ${JSON.stringify(id.slice(0, 100))}.`, {
    param,
  })
