import { ApiError, isAbsent } from 'homelab-ports/failure'
import type { PveChange, Shell } from 'homelab-ports/ports'
import { spanOf } from 'node-kit/words'
import { type ClusterState, type Guest, JarvisError, type Node } from 'protocol'
import type { Clock } from '../../lib/clock.ts'
import { asUnknown, unknownAfterMs } from '../unknown.ts'
import { DetailReader, type Details } from './details.ts'
import { listedAs, readGuest, seeGuest, sightingOf } from './guest.ts'
import { learn, nothingKnown, type Sighting, withOwn } from './known.ts'
import { createMarks, type Marks } from './marks.ts'
import { type GuestLeft, guestsLeft, isAboutGuests } from './own.ts'
import { createPausedWatch, type LearnPaused } from './paused.ts'
import { createPoller, type Poller } from './poller.ts'
import { createRates } from './rates.ts'
import { readCluster } from './reading.ts'
import { type Host, thisHost } from './self.ts'
import { stateOf } from './state.ts'
import type { Api } from './transport.ts'

/** Time between reads, ms: while somebody watches, while nobody does, and while Proxmox refuses the token. Each refusal takes Proxmox 3 s. */
const pace = { liveMs: 5_000, idleMs: 25_000, refusedMs: 60_000 }

/** Longest wait of `catchUp`, ms. */
const catchUpMs = 1_500

/** A read of a guest before a decision also serves a request for the same guest within this time, ms. */
const countsAsNowMs = 250
/** Time limit of `readAfresh`, ms. An address that does not answer takes three seconds, and another address may still work. */
const readAfreshMs = 10_000
/** Longest wait for the result of JARVIS's own request, ms. */
const noteResultMs = 5_000

type SightParts = {
  api: Api
  shell: Shell
  clock: Clock
  protectedTargets: ReadonlySet<string>
  host?: Host | undefined
}

/** The known state of the cluster. It is read periodically, and right before a decision. A state that is too old becomes unknown. */
export class Sight {
  readonly known = nothingKnown(createRates())
  readonly #parts: SightParts
  readonly #startedAt: number
  readonly #listeners = new Map<() => void, 'live' | 'idle'>()
  readonly #learnPaused: LearnPaused
  readonly #marks: Marks
  readonly #details: Details
  readonly #poller: Poller
  #cancelOld: (() => void) | undefined
  #failure: { error: unknown; since: number } | undefined
  #made: { key: string; state: ClusterState } | undefined
  #readOf: { vmid: number | undefined; at: number } | undefined

  /** Begins to read. */
  constructor(parts: SightParts) {
    const { api, clock, shell } = parts
    this.#parts = parts
    this.#startedAt = this.#now()
    const of = { api, clock, known: this.known, changed: () => this.changed() }
    this.#learnPaused = createPausedWatch(of)
    this.#marks = createMarks(of)
    this.#details = new DetailReader({ ...of, shell, host: parts.host ?? thisHost() })
    this.#poller = createPoller(
      clock,
      (signal) => this.#look(signal),
      () => (this.#isRefused() ? pace.refusedMs : this.#isLive() ? pace.liveMs : pace.idleMs),
    )
  }

  state(): ClusterState {
    const { reading } = this.known
    const isOld = reading !== undefined && this.#now() - reading.at > unknownAfterMs
    const lost = this.#failure === undefined && !isOld ? undefined : this.#lostLine()
    const key = lost ?? ''
    if (this.#made?.key !== key) {
      const { protectedTargets } = this.#parts
      const next = stateOf(this.known, { protectedTargets, startedAt: this.#startedAt, lost })
      const since = this.#failure?.since ?? next.at
      const seen = lost === undefined ? next : { ...next, unreachableSince: since }
      this.#made = { key, state: isOld ? asUnknown(seen, since) : seen }
    }
    return this.#made.state
  }

  /** Rebuilds the state and notifies the watchers. Call it after each change of `known`. */
  changed(): void {
    this.#made = undefined
    for (const listener of [...this.#listeners.keys()]) listener()
  }

  watch(listener: () => void, wanted: 'live' | 'idle' = 'live'): () => void {
    const own = () => listener()
    this.#listeners.set(own, wanted)
    this.#poller.paceChanged()
    return () => {
      this.#listeners.delete(own)
      this.#poller.paceChanged()
    }
  }

  /** Returns a state that is a few seconds old at most; reads the cluster if needed. */
  async recent(signal: AbortSignal): Promise<ClusterState> {
    if (signal.aborted) throw signal.reason
    const { reading } = this.known
    const isRecent = reading !== undefined && this.#now() - reading.at < pace.liveMs
    return isRecent && this.#failure === undefined ? this.state() : this.#fresh(signal)
  }

  /** Same as `Cluster.catchUp`. */
  async catchUp(vmid?: number): Promise<void> {
    // While Proxmox refuses the token, questions do not trigger a read.
    if (this.#isRefused()) return
    const late = new AbortController()
    const cancel = this.#parts.clock.after(catchUpMs, () => late.abort(new Error('not yet')))
    try {
      const { guests } = await this.recent(late.signal)
      const guest = guests.find((candidate) => candidate.vmid === vmid)
      if (guest === undefined) return
      this.known.sightings.set(guest.vmid, await this.#see(guest, late.signal))
      this.changed()
    } catch {
      // If the guest cannot be read in time, the state shows the last known data and its age.
    } finally {
      cancel()
    }
  }

  /** Same as `Cluster.readAfresh`. */
  async readAfresh(vmid?: number): Promise<void> {
    const late = AbortSignal.timeout(readAfreshMs)
    try {
      await this.#lookAfresh(vmid, late)
    } catch (error) {
      if (!late.aborted) throw unreachable(error)
      throw new JarvisError('cluster_unreachable', `The cluster did not answer within ${readAfreshMs / 1000} s.`)
    }
  }

  /** Reads a guest and the cluster now, unless both were read for this guest a moment ago (`countsAsNowMs`). */
  async lookUnlessJustNow(vmid: number, signal: AbortSignal): Promise<void> {
    if (this.#readOf?.vmid !== vmid || this.#now() - this.#readOf.at > countsAsNowMs)
      await this.#lookAfresh(vmid, signal)
  }

  /** Same as `PveApi.noteResult`. */
  async noteResult(request: PveChange, asked: AbortSignal): Promise<void> {
    if (!isAboutGuests(request)) return
    const signal = AbortSignal.any([asked, AbortSignal.timeout(noteResultMs)])
    const { known } = this
    try {
      await Promise.all(guestsLeft(request).map((left) => this.#noteLeft(left, signal)))
      if (known.reading !== undefined)
        known.reading = { ...known.reading, guests: withOwn(known.reading.guests, known.own) }
      this.changed()
      await this.#poller.refresh(signal)
    } catch {
      // Ignore the failure: the next read of the cluster shows the result.
    }
  }

  /** Finds a node by its exact name. Only a name that the cluster lists may become part of a request's path. @throws JarvisError `not_found` */
  async nodeNamed(name: string, signal: AbortSignal): Promise<Node> {
    const has = ({ nodes }: ClusterState) => nodes.find((node) => node.name === name)
    const current = await this.recent(signal)
    const found = has(current) ?? has(await this.#fresh(signal))
    if (found !== undefined) return found
    const names = this.state().nodes.map((node) => node.name)
    throw new JarvisError('not_found', `There is no node ${JSON.stringify(name)}. Nodes: ${names.join(', ')}.`)
  }

  /** Returns the name of a node that is not offline. @throws JarvisError `not_found`, `cluster_unreachable` */
  async onlineNode(name: string, signal: AbortSignal): Promise<string> {
    const node = await this.nodeNamed(name, signal)
    if (node.status !== 'offline') return node.name
    // Reads again before refusing: the node may have come back.
    const again = (await this.#fresh(signal)).nodes.find((other) => other.name === node.name)
    if (again?.status === 'online') return node.name
    throw new JarvisError('cluster_unreachable', `${name} is offline.`)
  }

  close(): void {
    this.#cancelOld?.()
    this.#poller.close()
    this.#details.close()
    this.#listeners.clear()
  }

  #now(): number {
    return this.#parts.clock.now()
  }

  #isLive(): boolean {
    return [...this.#listeners.values()].includes('live')
  }

  /** True if Proxmox refuses the token. */
  #isRefused(): boolean {
    return this.#failure?.error instanceof ApiError && this.#failure.error.status === 401
  }

  #see(place: Guest, signal: AbortSignal): Promise<Sighting> {
    return seeGuest(this.#parts.api, place, { now: () => this.#now(), signal })
  }

  async #look(signal: AbortSignal) {
    const { api, clock } = this.#parts
    try {
      // Without the token's rights nothing proves that a list is complete.
      const [reading] = await Promise.all([
        readCluster(api, () => this.#now(), signal),
        this.#details.learnRights(signal),
      ])
      // A wrong certificate at one of several addresses is reported even if another address works.
      reading.missing.push(...api.problems())
      await this.#learnPaused(reading, signal)
      learn(this.known, reading)
      this.known.clockOffMs = api.clockOffMs()
      this.#failure = undefined
      // Notifies watchers when this read becomes too old, whatever later reads bring.
      this.#cancelOld?.()
      this.#cancelOld = clock.after(unknownAfterMs + 1, () => this.changed())
      void api.recheck({ signal })
    } catch (error) {
      if (signal.aborted) return
      this.#failure = { error, since: this.#failure?.since ?? this.#now() }
    }
    this.changed()
    if (this.#failure !== undefined) return
    void this.#details.follow(this.state(), this.#isLive())
    void this.#marks.follow(this.state(), signal)
  }

  /** Returns why the cluster cannot be read. The line begins with the age of the last read, so that people know how far to trust the rest. */
  #lostLine(): string {
    const { reading } = this.known
    const { error } = this.#failure ?? { error: new Error('no answer yet') }
    const why = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')
    return reading === undefined ? why : `last seen ${spanOf((this.#now() - reading.at) / 1000)} ago: ${why}`
  }

  /** Waits for a read that begins now, and returns its state. @throws JarvisError `cluster_unreachable` */
  async #fresh(signal: AbortSignal): Promise<ClusterState> {
    await this.#poller.refresh(signal)
    if (this.#failure !== undefined) throw unreachable(this.#failure.error)
    return this.state()
  }

  async #lookAfresh(vmid: number | undefined, signal: AbortSignal): Promise<void> {
    const placeOf = ({ guests, nodes }: ClusterState) => {
      const guest = guests.find((candidate) => candidate.vmid === vmid)
      return nodes.some(({ name, status }) => name === guest?.node && status === 'online') ? guest : undefined
    }
    // The guest is most likely still on its node, so the guest and the cluster are read in parallel.
    const before = placeOf(this.state())
    const first = before && this.#see(before, signal).catch(() => undefined)
    await this.#fresh(signal)
    const guest = placeOf(this.state())
    if (guest !== undefined) {
      const isThere = before?.node === guest.node && before.type === guest.type
      // Between two reads another guest may have taken the vmid, name and node. If its marks cannot be read, it does not count as the same guest.
      const marked = this.#marks.read(guest, signal).catch(() => {})
      this.known.sightings.set(guest.vmid, (isThere ? await first : undefined) ?? (await this.#see(guest, signal)))
      await marked
      this.changed()
    }
    this.#readOf = { vmid, at: this.#now() }
  }

  /** Reads and stores a guest's state after JARVIS's own request. */
  async #noteLeft({ isGone, ...place }: GuestLeft, signal: AbortSignal) {
    const { known } = this
    try {
      const seen = await readGuest(this.#parts.api, place, signal)
      const row = listedAs(place, seen)
      known.sightings.set(place.vmid, sightingOf(seen, this.#now()))
      known.own.set(place.vmid, { row, at: this.#now() })
      if (row.name !== undefined) known.lastListed.set(place.vmid, row)
    } catch (error) {
      if (isGone && isAbsent(error)) known.own.set(place.vmid, { row: undefined, at: this.#now() })
    }
  }
}

function unreachable(error: unknown): unknown {
  return error instanceof JarvisError
    ? error
    : new JarvisError('cluster_unreachable', 'The cluster cannot be read.', { cause: error })
}
