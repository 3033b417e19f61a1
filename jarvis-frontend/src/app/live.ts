import { QueryClient } from '@tanstack/react-query'
import { forget, signedIn } from '../api/auth.ts'
import { renewConfirmations } from '../api/confirmations.ts'
import { setCredentials } from '../api/http.ts'
import { renewSessions } from '../api/sessions.ts'
import { ChatClient } from '../features/chat/client.ts'
import { ClusterStore } from '../features/cluster/store.ts'
import { Feed } from '../features/events/feed.ts'
import { watchLink } from '../realtime/link.ts'
import { createSockets } from '../realtime/sockets.ts'

const token = () => signedIn.get()?.token

/** Everything that lives as long as the page: one connection and what is folded from it. */
function createLive() {
  setCredentials(token, forget)
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: 30_000, retry: 1 } } })
  const sockets = createSockets(token)
  const link = watchLink(sockets, forget)
  const renew = () => {
    void renewSessions(queries)
    void renewConfirmations(queries)
  }
  sockets.events.on('connect', renew)
  const feed = new Feed(sockets.events, ({ what }) => {
    void (what === 'sessions' ? renewSessions(queries) : renewConfirmations(queries))
  })
  const live = {
    queries,
    link,
    feed,
    chat: new ChatClient(sockets.chat),
    cluster: new ClusterStore(sockets.cluster),
  }
  let known: string | undefined
  const follow = () => {
    if (token() === known) return
    known = token()
    if (known === undefined) {
      link.disconnect()
      queries.clear()
    } else link.connect()
  }
  signedIn.subscribe(follow)
  follow()
  return live
}

export const live = createLive()
