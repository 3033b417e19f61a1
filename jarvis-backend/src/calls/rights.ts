import type { Principal } from '../agent/principal.ts'

/** What follows from who asks for a call. Nothing else in the way of a call knows the kinds. */
export type Rights = {
  /** Whether tools of attached servers may be called: JARVIS lends no client its way to other servers. */
  mayUseAttached: boolean
  /** What is handed over is not the operator's own. */
  isForeign: boolean
  /** How long a denied call is refused rather than asked for again, ms; undefined: as long as its run goes on. */
  deniedForMs: number | undefined
}

const rights: Record<Principal['kind'], Rights> = {
  person: { mayUseAttached: true, isForeign: false, deniedForMs: undefined },
  client: { mayUseAttached: false, isForeign: true, deniedForMs: 10 * 60_000 },
}

export const rightsOf = ({ kind }: Pick<Principal, 'kind'>): Rights => rights[kind]
