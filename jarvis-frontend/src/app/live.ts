import { alerts } from '../api/alerts.ts'
import { forget, renewPerson, type SignedIn, signedIn } from '../api/auth.ts'
import { checks } from '../api/executions.ts'
import { bearer, setCredentials } from '../api/http.ts'
import { limits } from '../api/limits.ts'
import { forgetAll, forgetUnused, renewAll } from '../api/remote.ts'
import { readSamples } from '../api/samples.ts'
import { sessions } from '../api/sessions.ts'
import { askForPassword } from '../api/step-up.ts'
import { ChatClient } from '../features/chat/client.ts'
import { ClusterStore } from '../features/cluster/store.ts'
import { Feed } from '../features/events/feed.ts'
import { keep } from '../lib/keep.ts'
import { watchLink } from '../realtime/link.ts'
import { createSockets } from '../realtime/sockets.ts'
import { onWake } from '../realtime/wake.ts'
import { takeDisplay } from './own-display.ts'

const holder = () => signedIn.get()

/** Creates the objects that exist as long as the page: one connection and the stores that its events fill. */
function createLive() {
  setCredentials(holder, forget, askForPassword)
  const sockets = createSockets(bearer)
  const link = watchLink(sockets, forget)
  onWake(link.check)
  sockets.events.on('connect', () => {
    renewPerson().then(
      (display) => display && takeDisplay(display),
      () => undefined,
    )
    const device = keep.get('push')
    if (device !== undefined) import('../api/push.ts').then((part) => part.seenHere(device)).catch(() => undefined)
  })
  /** Reads again what a change concerns. @param what the part that changed; `connect`: any part may have changed */
  const tell = (what: string) => {
    renewAll(what)
    if (what === 'samples') void live.cluster.catchUp()
    dispatchEvent(new CustomEvent('jarvis:changed', { detail: what }))
  }
  const feed = new Feed(sockets.events, ({ what }) => tell(what))
  /** When this page began to read for this person, until it is connected for the first time. Unix ms. */
  let begunAt: number | undefined
  sockets.events.on('ages', ({ upMs, lists }) => {
    const readForMs = begunAt === undefined ? Number.POSITIVE_INFINITY : Date.now() - begunAt
    begunAt = undefined
    if (upMs <= readForMs) return tell('connect')
    // Lists that were read before the connection are read again only if they changed meanwhile.
    for (const [what, ageMs] of Object.entries(lists)) if (ageMs <= readForMs) tell(what)
  })
  const live = {
    link,
    feed,
    chat: new ChatClient(sockets.chat, () => sessions.renew()),
    cluster: new ClusterStore(sockets.cluster, (names) => readSamples(names, '1h')),
  }
  limits.value.subscribe(() => live.cluster.reconsider())
  alerts.value.subscribe(() => live.cluster.setAlerts(alerts.value.get()?.items))
  const leave = () => {
    link.disconnect()
    for (const part of [live.chat, live.cluster, feed, checks]) part.forget()
    forgetAll()
  }
  let known: SignedIn | undefined
  const follow = () => {
    const before = known
    known = holder()
    // A person with another role may read less.
    if (before?.rank !== known?.rank) forgetUnused()
    if (before?.key === known?.key) return
    if (before?.id !== known?.id) {
      if (before !== undefined) leave()
      begunAt = Date.now()
    }
    if (known === undefined) return
    link.connect()
    limits.want()
    alerts.want()
  }
  signedIn.subscribe(follow)
  follow()
  return live
}

export const live = createLive()
