import type { Requester } from '../protocol/index.ts'

/** What follows from who asks for a call. Nothing else in the way of a call knows the kinds. */
export type Rights = {
  /** Whether tools of attached servers may be called: JARVIS lends no client its way to other servers. */
  mayUseAttached: boolean
  /** What is handed over is not the operator's own. */
  isForeign: boolean
  /** How long a denied call is refused rather than asked for again, ms; undefined: as long as its run goes on. */
  deniedForMs: number | undefined
}

const own: Rights = { mayUseAttached: true, isForeign: false, deniedForMs: undefined }

const rights: Record<Requester['kind'], Rights> = {
  chat: own,
  command: own,
  mcp: { mayUseAttached: false, isForeign: true, deniedForMs: 10 * 60_000 },
}

export const rightsOf = (kind: Requester['kind']): Rights => rights[kind]
