import { ApiError, isAbsent } from 'homelab-ports/failure'
import { type ClusterState, type Guest, JarvisError } from 'protocol'
import type { Clock } from '../../lib/clock.ts'
import { spanOf } from '../../lib/words.ts'
import type { Shell } from '../ports.ts'
import { asUnknown, unknownAfterMs } from '../unknown.ts'
import { createDetails } from './details.ts'
import { listedAs, readGuest, seeGuest, sightingOf } from './guest.ts'
import { learn, nothingKnown, withOwn } from './known.ts'
import { createMarks } from './marks.ts'
import { guestsLeft, isAboutGuests, type OwnRequest } from './own.ts'
import { createPausedWatch } from './paused.ts'
import { createPoller } from './poller.ts'
import { createRates } from './rates.ts'
import { readCluster } from './reading.ts'
import { type Host, thisHost } from './self.ts'
import { stateOf } from './state.ts'
import type { createTransport } from './transport.ts'

/** Time between reads: while somebody watches, while nobody does, and while Proxmox refuses the token, which takes it 3 s each, ms. */
const pace = { liveMs: 5_000, idleMs: 25_000, refusedMs: 60_000 }

/** Longest wait of `catchUp`, ms. */
const catchUpMs = 1_500

/** A read before a decision also serves a request that follows within this time, ms. */
const countsAsNowMs = 250
/** Time limit of `readAfresh`, ms: an address without an answer takes three seconds, and another may still serve. */
const readAfreshMs = 10_000
/** Longest wait for the result of an own request, ms. */
const noteResultMs = 5_000

/** The known state of the cluster. It is read periodically and right before a decision; a state that is too old becomes unknown. */
export function createSight(options: {
  api: ReturnType<typeof createTransport>
  shell: Shell
  clock: Clock
  protectedTargets: ReadonlySet<string>
  host?: Host
  now(): number
}) {
  const { api, shell, clock, protectedTargets, now } = options
  const known = nothingKnown(createRates())
  const startedAt = now()
  const listeners = new Map<() => void, 'live' | 'idle'>()
  let cancelOld: (() => void) | undefined
  let failure: { error: unknown; since: number } | undefined
  let made: { key: string; state: ClusterState } | undefined

  function changed() {
    made = undefined
    for (const listener of [...listeners.keys()]) listener()
  }
  const isLive = () => [...listeners.values()].includes('live')

  async function look(signal: AbortSignal) {
    try {
      // Without the rights nothing proves that a list is whole.
      const [reading] = await Promise.all([readCluster(api, now, signal), details.learnRights(signal)])
      // A wrong certificate at one of several addresses is reported even if another serves.
      reading.missing.push(...api.problems())
      await learnPaused(reading, signal)
      learn(known, reading)
      known.clockOffMs = api.clockOffMs()
      failure = undefined
      // Watchers are notified when this read becomes too old, however later reads end.
      cancelOld?.()
      cancelOld = clock.after(unknownAfterMs + 1, changed)
      void api.recheck({ signal })
    } catch (error) {
      if (signal.aborted) return
      failure = { error, since: failure?.since ?? now() }
    }
    changed()
    if (failure !== undefined) return
    void details.follow(state(), isLive())
    void marks.follow(state(), signal)
  }

  function state(): ClusterState {
    const { reading } = known
    const isOld = reading !== undefined && now() - reading.at > unknownAfterMs
    const lost = failure === undefined && !isOld ? undefined : lostLine()
    const key = lost ?? ''
    if (made?.key !== key) {
      const next = stateOf(known, protectedTargets, startedAt, lost)
      const since = failure?.since ?? next.at
      const seen = lost === undefined ? next : { ...next, unreachableSince: since }
      made = { key, state: isOld ? asUnknown(seen, since) : seen }
    }
    return made.state
  }

  /** A line that begins with the age of the state, which tells how far to trust the rest. */
  function lostLine(): string {
    const { reading } = known
    const { error } = failure ?? { error: new Error('no answer yet') }
    const why = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')
    return reading === undefined ? why : `last seen ${spanOf((now() - reading.at) / 1000)} ago: ${why}`
  }

  const learnPaused = createPausedWatch({ api, clock, known, changed })
  const marks = createMarks({ api, clock, known, changed })
  const details = createDetails({ api, clock, shell, known, host: options.host ?? thisHost(), changed })
  const poller = createPoller(clock, look, () => {
    if (failure?.error instanceof ApiError && failure.error.status === 401) return pace.refusedMs
    return isLive() ? pace.liveMs : pace.idleMs
  })

  /** A state read from now on. @throws JarvisError `cluster_unreachable` */
  async function fresh(signal: AbortSignal): Promise<ClusterState> {
    await poller.refresh(signal)
    if (failure !== undefined) throw unreachable(failure.error)
    return state()
  }

  /** A state that is a few seconds old at most. */
  async function recent(signal: AbortSignal): Promise<ClusterState> {
    if (signal.aborted) throw signal.reason
    const isRecent = known.reading !== undefined && now() - known.reading.at < pace.liveMs
    return isRecent && failure === undefined ? state() : fresh(signal)
  }

  async function catchUp(vmid?: number) {
    // A refused token is not tried again for each question.
    if (failure?.error instanceof ApiError && failure.error.status === 401) return
    const late = new AbortController()
    const cancel = clock.after(catchUpMs, () => late.abort(new Error('not yet')))
    try {
      const { guests } = await recent(late.signal)
      const guest = guests.find((candidate) => candidate.vmid === vmid)
      if (guest === undefined) return
      known.sightings.set(guest.vmid, await seeGuest(api, guest, now, late.signal))
      changed()
    } catch {
      // The state has what is known and its age.
    } finally {
      cancel()
    }
  }

  let readOf: { vmid: number | undefined; at: number } | undefined

  async function lookAfresh(vmid: number | undefined, signal: AbortSignal): Promise<void> {
    const placeOf = ({ guests, nodes }: ClusterState) => {
      const guest = guests.find((candidate) => candidate.vmid === vmid)
      return nodes.some(({ name, status }) => name === guest?.node && status === 'online') ? guest : undefined
    }
    const seeAt = (place: Guest) => seeGuest(api, place, now, signal)
    // The guest is most likely still on its node, so both are read in parallel.
    const before = placeOf(state())
    const first = before && seeAt(before).catch(() => undefined)
    await fresh(signal)
    const guest = placeOf(state())
    if (guest !== undefined) {
      const isThere = before?.node === guest.node && before.type === guest.type
      // Between two reads another guest may have taken its number, name and node. One whose marks cannot be read is not known to be the same.
      const marked = marks.read(guest, signal).catch(() => {})
      known.sightings.set(guest.vmid, (isThere ? await first : undefined) ?? (await seeAt(guest)))
      await marked
      changed()
    }
    readOf = { vmid, at: now() }
  }

  async function readAfresh(vmid?: number) {
    const late = AbortSignal.timeout(readAfreshMs)
    try {
      await lookAfresh(vmid, late)
    } catch (error) {
      if (!late.aborted) throw unreachable(error)
      throw new JarvisError('cluster_unreachable', `The cluster did not answer within ${readAfreshMs / 1000} s.`)
    }
  }

  /** As `PveApi.noteResult`. */
  async function noteResult(request: OwnRequest, asked: AbortSignal) {
    if (!isAboutGuests(request)) return
    const signal = AbortSignal.any([asked, AbortSignal.timeout(noteResultMs)])
    try {
      await Promise.all(
        guestsLeft(request).map(async ({ isGone, ...place }) => {
          try {
            const seen = await readGuest(api, place, signal)
            const row = listedAs(place, seen)
            known.sightings.set(place.vmid, sightingOf(seen, now()))
            known.own.set(place.vmid, { row, at: now() })
            if (row.name !== undefined) known.lastListed.set(place.vmid, row)
          } catch (error) {
            if (isGone && isAbsent(error)) known.own.set(place.vmid, { row: undefined, at: now() })
          }
        }),
      )
      if (known.reading !== undefined)
        known.reading = { ...known.reading, guests: withOwn(known.reading.guests, known.own) }
      changed()
      await poller.refresh(signal)
    } catch {
      // The next read tells.
    }
  }

  /** Finds a node by its exact name; only a known name may be part of a path. @throws JarvisError `not_found` */
  async function nodeNamed(name: string, signal: AbortSignal) {
    const has = ({ nodes }: ClusterState) => nodes.find((node) => node.name === name)
    const current = await recent(signal)
    const found = has(current) ?? has(await fresh(signal))
    if (found !== undefined) return found
    const names = state().nodes.map((node) => node.name)
    throw new JarvisError('not_found', `There is no node ${JSON.stringify(name)}. Nodes: ${names.join(', ')}.`)
  }

  /** @throws JarvisError `not_found`, `cluster_unreachable` */
  async function onlineNode(name: string, signal: AbortSignal): Promise<string> {
    const node = await nodeNamed(name, signal)
    if (node.status !== 'offline') return node.name
    // Reads again before refusing: the node may have come back.
    const now = (await fresh(signal)).nodes.find((other) => other.name === node.name)
    if (now?.status === 'online') return node.name
    throw new JarvisError('cluster_unreachable', `${name} is offline.`)
  }

  return {
    known,
    state,
    recent,
    catchUp,
    readAfresh,
    noteResult,
    nodeNamed,
    onlineNode,
    changed,
    /** Reads a guest and the cluster now, unless that was done for it a moment ago. */
    async lookUnlessJustNow(vmid: number, signal: AbortSignal) {
      if (readOf?.vmid !== vmid || now() - readOf.at > countsAsNowMs) await lookAfresh(vmid, signal)
    },
    watch(listener: () => void, wanted: 'live' | 'idle' = 'live') {
      const own = () => listener()
      listeners.set(own, wanted)
      poller.paceChanged()
      return () => {
        listeners.delete(own)
        poller.paceChanged()
      }
    },
    close() {
      cancelOld?.()
      poller.close()
      details.close()
      listeners.clear()
    },
  }
}

function unreachable(error: unknown): unknown {
  return error instanceof JarvisError
    ? error
    : new JarvisError('cluster_unreachable', 'The cluster cannot be read.', { cause: error })
}
