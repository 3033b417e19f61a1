import type { Page, Versions } from 'protocol'
import { Remote, useRemote } from '../../api/remote.ts'
import { readVersions } from '../../api/session-acts.ts'

let open: { sessionId: string; remote: Remote<Page<Versions>> } | undefined
addEventListener('jarvis:changed', (event) => {
  if (['sessions', 'connect'].includes((event as CustomEvent<string>).detail)) open?.remote.renew()
})

/** The versions of the open session, read once for all its messages. */
function versionsOf(sessionId: string): Remote<Page<Versions>> {
  if (open?.sessionId !== sessionId) {
    open?.remote.forget()
    open = { sessionId, remote: new Remote(() => readVersions(sessionId)) }
  }
  return open.remote
}

/** The messages of a session that were edited or retried; undefined until they are read. */
export const useVersions = (sessionId: string): Versions[] | undefined => useRemote(versionsOf(sessionId))?.items
