import { alerts } from '../api/alerts.ts'
import { forget, renewPerson, signedIn } from '../api/auth.ts'
import { armed } from '../api/changes.ts'
import { confirmations } from '../api/confirmations.ts'
import { checks } from '../api/executions.ts'
import { grants } from '../api/grants.ts'
import { bearer, setCredentials } from '../api/http.ts'
import { limits } from '../api/limits.ts'
import { questions } from '../api/questions.ts'
import { readSamples } from '../api/samples.ts'
import { sessions } from '../api/sessions.ts'
import { status } from '../api/status.ts'
import { askForPassword } from '../api/step-up.ts'
import { tools } from '../api/tools.ts'
import { ChatClient } from '../features/chat/client.ts'
import { ClusterStore } from '../features/cluster/store.ts'
import { Feed } from '../features/events/feed.ts'
import { keep } from '../lib/keep.ts'
import { watchLink } from '../realtime/link.ts'
import { createSockets } from '../realtime/sockets.ts'
import { onWake } from '../realtime/wake.ts'

const holder = () => signedIn.get()
const lists = [sessions, confirmations, questions, armed, alerts, grants, status, tools, limits]

const byChange: Partial<Record<string, { renew(): void }>> = {
  sessions,
  confirmations,
  questions,
  changes: armed,
  alerts,
  grants,
  settings: status,
  limits,
}
/** Tells pages to read their own data again. @param what the part that changed; `connect`: any part may have changed */
const tellPages = (what: string) => dispatchEvent(new CustomEvent('jarvis:changed', { detail: what }))

/** Creates the objects that exist as long as the page: one connection and the stores that its events fill. */
function createLive() {
  setCredentials(holder, forget, askForPassword)
  const sockets = createSockets(bearer)
  const link = watchLink(sockets, forget)
  onWake(link.check)
  sockets.events.on('connect', () => {
    for (const list of lists) list.renew()
    renewPerson().then(
      async (display) => display && (await import('./own-display.ts')).takeDisplay(display),
      () => undefined,
    )
    const device = keep.get('push')
    if (device !== undefined) import('../api/push.ts').then((part) => part.seenHere(device)).catch(() => undefined)
    tellPages('connect')
  })
  const feed = new Feed(sockets.events, ({ what }) => {
    byChange[what]?.renew()
    if (what === 'samples') void live.cluster.catchUp()
    tellPages(what)
  })
  const live = {
    link,
    feed,
    chat: new ChatClient(sockets.chat, () => sessions.renew()),
    cluster: new ClusterStore(sockets.cluster, (names) => readSamples(names, '1h')),
  }
  limits.value.subscribe(() => live.cluster.reconsider())
  alerts.value.subscribe(() => live.cluster.setAlerts(alerts.value.get()?.items))
  let known: string | undefined
  const follow = () => {
    const key = holder()?.key
    if (key === known) return
    known = key
    if (known !== undefined) {
      link.connect()
      limits.want()
      alerts.want()
      return
    }
    link.disconnect()
    for (const part of [live.chat, live.cluster, feed]) part.forget()
    for (const list of [...lists, checks]) list.forget()
  }
  signedIn.subscribe(follow)
  follow()
  return live
}

export const live = createLive()
