import type { Registry } from 'house'
import { hashOf } from 'node-kit/canonical'
import type { Clock } from '../lib/clock.ts'
import type { Pages } from './addresses.ts'
import type { Channel, ChannelKind, Heard, Settings } from './channel.ts'
import { isSecretSetting, settingsProblem } from './channel-settings.ts'
import type { Notes, Words } from './parts.ts'
import type { RecipientStore } from './ports.ts'

type Origin = { from?: 'environment' | 'settings' }
/**
 * An open channel. `account`: a hash of its settings; pairings made with another account are void. `from`: absent if the channel needs no settings.
 */
export type OpenChannel = Origin & {
  state: 'on'
  channel: Channel
  account: string
  values: Settings
  problem?: string
}
/** The state of a channel. `broken`: its settings cannot be used. */
export type ChannelState = { state: 'off' } | ({ state: 'broken'; problem: string } & Origin) | OpenChannel

/** The known channels, and the state of each. */
export interface ChannelDirectory {
  kinds(): readonly ChannelKind[]
  kind(id: string): ChannelKind | undefined
  state(id: string): ChannelState
  /** The open channel; undefined if it is not set up or its settings are broken. */
  channel(id: string): OpenChannel | undefined
  /** Returns true if the channel can change a message that was sent. Also true for a channel that is not open, because it may be opened later. */
  mayRevise(id: string): boolean
}

/** The stored settings of a channel. `key` changes whenever the channel must be opened anew. */
type ReadSettings = { key: string; given?: Origin & { values: Settings }; problem?: string }

/** The state of one channel, and its listener if it has one. */
type Held = { key: string; state: ChannelState; listen(): void; stop(): Promise<void> }

/** Is told which channels open and close, and receives everything that comes in over them. */
export interface ChannelHub {
  /** Returns the handler of everything that comes in over an open channel. */
  listener(kind: ChannelKind, account: string): Heard
  /** The position from which a channel's listener continues. */
  cursor(channel: string): string | undefined
  /** Called when a channel is open, before anything is sent or received. Pairings with another account become void. */
  opened(kind: ChannelKind, account: string): void
  /** Called when the settings of a channel were removed. */
  closed(kind: ChannelKind): void
}

export type OpenChannelsParts = {
  kinds: Pick<Registry<ChannelKind>, 'list' | 'get'>
  /** Reads the stored settings of a channel; undefined if there are none. @throws Error with a message for people if they cannot be read */
  read(channel: string): { from: 'environment' | 'settings'; values: Settings } | undefined
  hub: ChannelHub
  recipients: Pick<RecipientStore, 'list'>
  words: Pick<Words, 'hide'>
  notes: Pick<Notes, 'changed' | 'report'>
  pages: Pages
  clock: Clock
}

/** Keeps the configured channels open, and reopens a channel if its settings change. */
export class OpenChannels implements ChannelDirectory {
  readonly #parts: OpenChannelsParts
  readonly #held = new Map<string, Held>()
  #isListening = false

  constructor(parts: OpenChannelsParts) {
    this.#parts = parts
  }

  kinds(): readonly ChannelKind[] {
    return this.#parts.kinds.list()
  }

  kind(id: string): ChannelKind | undefined {
    return this.#parts.kinds.get(id)
  }

  state(id: string): ChannelState {
    return this.#held.get(id)?.state ?? { state: 'off' }
  }

  channel(id: string): OpenChannel | undefined {
    const state = this.state(id)
    return state.state === 'on' ? state : undefined
  }

  mayRevise(id: string): boolean {
    const open = this.channel(id)
    return this.kind(id) !== undefined && (open === undefined || open.channel.revise !== undefined)
  }

  /** Opens newly configured channels, reopens channels whose settings changed, and closes channels that are no longer configured. */
  async look(): Promise<void> {
    await Promise.all(this.kinds().map((kind) => this.#look(kind)))
  }

  /** Begins to listen. */
  start(): void {
    this.#isListening = true
    for (const { listen } of this.#held.values()) listen()
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#held.values()].map(({ stop }) => stop()))
  }

  async #look(kind: ChannelKind): Promise<void> {
    const found = this.#read(kind)
    const before = this.#held.get(kind.id)
    if (before?.key === found.key) return
    const now = this.#open(kind, found)
    this.#held.set(kind.id, now)
    if (now.state.state === 'on') this.#parts.hub.opened(kind, now.state.account)
    else if (now.state.state === 'off' && before !== undefined) this.#parts.hub.closed(kind)
    // The service allows only one listener at a time.
    await before?.stop()
    if (this.#isListening && this.#held.get(kind.id) === now) now.listen()
    this.#parts.notes.changed()
  }

  /** Returns true if an incoming event of the channel can have an effect now. */
  #isHeard({ id, capabilities }: ChannelKind): boolean {
    return capabilities.pairs || this.#parts.recipients.list(id).some((one) => one.decides !== 'none')
  }

  #read(kind: ChannelKind): ReadSettings {
    try {
      const given = kind.settings.length === 0 ? { values: {} } : this.#parts.read(kind.id)
      return { given, key: given === undefined ? '' : `${hashOf(given)} ${this.#isHeard(kind)}` }
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      return { problem, key: `?${problem}` }
    }
  }

  #open(kind: ChannelKind, { given, problem, key }: ReadSettings): Held {
    if (problem !== undefined) return closed(key, { state: 'broken', problem })
    if (given === undefined) return closed(key, { state: 'off' })
    const { values, ...origin } = given
    for (const [name, value] of Object.entries(values)) if (isSecretSetting(name)) this.#parts.words.hide(value)
    const wrong = settingsProblem(kind, values)
    if (wrong !== undefined) return closed(key, { state: 'broken', problem: wrong, ...origin })
    return this.#opened(kind, key, { values, ...origin })
  }

  #opened(kind: ChannelKind, key: string, { values, ...origin }: Origin & { values: Settings }): Held {
    const { hub, notes, pages, clock } = this.#parts
    const isHeard = () => this.#isHeard(kind)
    const account = kind.settings.length === 0 ? '' : hashOf({ channel: kind.id, values }).slice(0, 32)
    const channel = kind.open(values, {
      clock,
      tapAddress: kind.capabilities.tapsByAddress === true ? pages.linkTo(`/api/channel-taps/${kind.id}`) : undefined,
      problem(why) {
        if (state.problem === why) return
        state.problem = why
        notes.changed()
      },
    })
    const state: OpenChannel = { state: 'on', ...origin, values, account, channel }
    const ending = new AbortController()
    let listening: Promise<void> | undefined
    return {
      state,
      key,
      listen() {
        if (!isHeard()) return
        listening ??= channel
          .incoming?.(hub.listener(kind, account), hub.cursor(kind.id), ending.signal)
          .catch((error: unknown) => {
            if (!ending.signal.aborted) notes.report(error, `${kind.name} is not heard any more`)
          })
      },
      async stop() {
        ending.abort()
        await listening
      },
    }
  }
}

const closed = (key: string, state: ChannelState): Held => ({ state, key, listen() {}, async stop() {} })
