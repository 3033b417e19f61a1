import { hashOf } from 'node-kit/canonical'
import type { Clock } from '../lib/clock.ts'
import type { Channel, ChannelKind, Heard, Settings } from './channel.ts'

/** `broken`: its settings cannot be used. */
export type ChannelState =
  | { state: 'off' }
  | { state: 'broken'; problem: string; from?: 'environment' | 'settings' }
  | {
      state: 'on'
      channel: Channel
      /** A hash of the settings: with another one, everything that was paired is void. */
      account: string
      /** Absent: it needs no settings. */
      from?: 'environment' | 'settings'
      values: Settings
      problem?: string
    }

type Given = { from?: 'environment' | 'settings'; values: Settings } | undefined
type Held = { state: ChannelState; key: string; listen(): void; stop(): Promise<void> }

/** A setting that is sealed and never shown. */
export const isSecretSetting = (name: string): boolean => /(?:KEY|PASSWORD|SECRET|TOKEN|TOPIC|HOOK_URL)$/.test(name)

/** What is wrong with settings, in words; undefined where a channel can be opened with them. */
export function settingsProblem({ settings }: ChannelKind, values: Settings): string | undefined {
  const stray = Object.keys(values).find((name) => settings.every((known) => known.name !== name))
  if (stray !== undefined) return `${stray} is no setting of it`
  for (const { name, isRequired, problem } of settings) {
    const value = values[name]
    if (value === undefined) {
      if (isRequired) return `${name} is missing`
      continue
    }
    const why = problem?.(value)
    if (why !== undefined) return `${name} ${why}`
  }
  return undefined
}

/** Keeps the channels that are set up open, and opens them anew where their settings change. */
export function createRegistry(parts: {
  kinds: readonly ChannelKind[]
  /** @throws Error in words where the settings cannot be read */
  read(channel: string): { from: 'environment' | 'settings'; values: Settings } | undefined
  clock: Clock
  /** Adds a secret to the redactor. */
  hide(secret: string): void
  heard(kind: ChannelKind, account: string): Heard
  cursor(channel: string): string | undefined
  /** Whether anything that comes in over it can count now. */
  isHeard(kind: ChannelKind): boolean
  /** Where phones send taps of a channel; undefined: nowhere. */
  tapAddress(kind: ChannelKind): string | undefined
  /** Told when a channel is open, before anything is sent or heard: what was paired with another account is void. */
  opened(kind: ChannelKind, account: string): void
  /** Told when a channel is set up no more. */
  closed(kind: ChannelKind): void
  changed(): void
  report(error: unknown, message: string): void
}) {
  const held = new Map<string, Held>()
  let isListening = false

  /** @returns what is set, with a key that changes with it; a text: why it cannot be read */
  function read(kind: ChannelKind): { key: string; given?: Given; problem?: string } {
    try {
      const given: Given = kind.settings.length === 0 ? { values: {} } : parts.read(kind.id)
      return { given, key: given === undefined ? '' : `${hashOf(given)} ${parts.isHeard(kind)}` }
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      return { problem, key: `?${problem}` }
    }
  }

  function open(kind: ChannelKind, { given, problem, key }: ReturnType<typeof read>): Held {
    const still = (state: ChannelState): Held => ({ state, key, listen() {}, async stop() {} })
    if (problem !== undefined) return still({ state: 'broken', problem })
    if (given === undefined) return still({ state: 'off' })
    const { values, ...origin } = given
    for (const [name, value] of Object.entries(values)) if (isSecretSetting(name)) parts.hide(value)
    const wrong = settingsProblem(kind, values)
    if (wrong !== undefined) return still({ state: 'broken', problem: wrong, ...origin })
    const account = kind.settings.length === 0 ? '' : hashOf({ channel: kind.id, values }).slice(0, 32)
    const ending = new AbortController()
    let listening: Promise<void> | undefined
    const state: ChannelState & { state: 'on' } = {
      ...({ state: 'on', ...origin, values, account } as const),
      channel: kind.open(values, {
        clock: parts.clock,
        tapAddress: parts.tapAddress(kind),
        problem(why) {
          if (state.problem === why) return
          if (why === undefined) delete state.problem
          else state.problem = why
          parts.changed()
        },
      }),
    }
    return {
      state,
      key,
      listen() {
        if (!parts.isHeard(kind)) return
        listening ??= state.channel
          .incoming?.(parts.heard(kind, account), parts.cursor(kind.id), ending.signal)
          .catch((error: unknown) => {
            if (!ending.signal.aborted) parts.report(error, `${kind.name} is not heard any more`)
          })
      },
      async stop() {
        ending.abort()
        await listening
      },
    }
  }

  async function look(kind: ChannelKind): Promise<void> {
    const found = read(kind)
    const before = held.get(kind.id)
    if (before?.key === found.key) return
    const now = open(kind, found)
    held.set(kind.id, now)
    if (now.state.state === 'on') parts.opened(kind, now.state.account)
    else if (now.state.state === 'off' && before !== undefined) parts.closed(kind)
    // A service knows one listener at a time.
    await before?.stop()
    if (isListening && held.get(kind.id) === now) now.listen()
    parts.changed()
  }

  return {
    kinds: parts.kinds,
    kind: (id: string) => parts.kinds.find((known) => known.id === id),
    state: (id: string): ChannelState => held.get(id)?.state ?? { state: 'off' },
    /** The open channel; undefined where it is not set up. */
    channel(id: string): (ChannelState & { state: 'on' }) | undefined {
      const state = held.get(id)?.state
      return state?.state === 'on' ? state : undefined
    },
    /** Opens what is set up, and closes what is not any more. */
    async look() {
      await Promise.all(parts.kinds.map(look))
    },
    /** Begins to listen. */
    start() {
      isListening = true
      for (const { listen } of held.values()) listen()
    },
    async stop() {
      await Promise.all([...held.values()].map(({ stop }) => stop()))
    },
  }
}
export type Registry = ReturnType<typeof createRegistry>
