import type { Versions } from 'protocol'
import { readVersions } from '../../api/session-acts.ts'
import { useLoad } from '../../api/use-load.ts'

/** The messages of a session that were edited or retried; undefined until they are read. */
export const useVersions = (sessionId: string): Versions[] | undefined =>
  useLoad(`versions of ${sessionId}`, () => readVersions(sessionId), ['connect', 'sessions']).data?.items
