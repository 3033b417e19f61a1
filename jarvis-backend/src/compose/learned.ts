import type { Settings } from '../auth/password.ts'
import { idOf, type ModelConfig, type ServedModel } from '../config/model.ts'
import { leftOutWords } from '../doctor/left-out.ts'
import type { Clock } from '../lib/clock.ts'
import type { Learned, LeftOut } from '../providers/learned.ts'

/** How long a part that a server refused is left out, ms. Servers learn too. */
const learnedForMs = 30 * 24 * 60 * 60_000

type Part = { part: string; at: number; leftOut?: LeftOut }

/** What servers refused, kept over restarts by kind, address and model. */
export function createLearnedStore({
  settings,
  clock,
  redact,
  announce,
}: {
  settings: Settings
  clock: Pick<Clock, 'now'>
  redact(text: string): string
  announce(text: string): void
}) {
  const added = new Map<string, LeftOut[]>()
  const placeOf = ({ kind, baseUrl, model }: Pick<ServedModel, 'kind' | 'baseUrl' | 'model'>) =>
    JSON.stringify([kind, baseUrl ?? '', model])
  const keyOf = (of: Parameters<typeof placeOf>[0]) => `refused_parts:${placeOf(of)}`
  const talkKeyOf = (of: Parameters<typeof placeOf>[0]) => `talks_only:${placeOf(of)}`
  const read = (key: string): Part[] => {
    const kept = JSON.parse(settings.get(key) ?? '[]') as (string | Part)[]
    const now = clock.now()
    // An earlier release kept names alone.
    return kept
      .map((one) => (typeof one === 'string' ? { part: one, at: now } : one))
      .filter(({ at }) => now - at < learnedForMs)
  }
  return {
    of(config: ServedModel): Learned {
      const key = keyOf(config)
      const parts = read(key)
      // What an earlier release kept has its time from now on.
      if (parts.length > 0) settings.set(key, JSON.stringify(parts))
      return {
        has: (part) => parts.some((known) => known.part === part),
        find: (start) => parts.findLast(({ part }) => part.startsWith(start))?.part,
        add(part, given) {
          const leftOut = given && { ...given, why: redact(given.why) }
          parts.push({ part, at: clock.now(), leftOut })
          settings.set(key, JSON.stringify(parts))
          if (leftOut === undefined) return
          const id = idOf(config)
          added.set(id, [...(added.get(id) ?? []), leftOut])
          announce(leftOutWords(id, leftOut))
        },
      }
    },
    /** The server of a model refused all tools. */
    learnTalksOnly(config: ModelConfig) {
      if (config.kind !== 'demo') settings.set(talkKeyOf(config), String(clock.now()))
    },
    /** Whether the server of a model refused all tools lately. */
    talksOnly: (config: ModelConfig): boolean =>
      config.kind !== 'demo' && clock.now() - Number(settings.get(talkKeyOf(config)) ?? 0) < learnedForMs,
    /** The tools that were left out for a model since this was asked last. */
    newly(id: string): LeftOut[] {
      const found = added.get(id) ?? []
      added.delete(id)
      return found
    },
    /** The tools that are left out, with the ids of the models that they are left out for. */
    leftOut: (configs: readonly ModelConfig[]): [string, LeftOut][] =>
      configs.flatMap((config) =>
        config.kind === 'demo'
          ? []
          : read(keyOf(config)).flatMap(({ leftOut }): [string, LeftOut][] =>
              leftOut ? [[idOf(config), leftOut]] : [],
            ),
      ),
    /** Tries all of these servers anew. */
    forget(configs: readonly Pick<ServedModel, 'kind' | 'baseUrl' | 'model'>[]) {
      for (const config of configs) {
        settings.set(keyOf(config), '[]')
        settings.set(talkKeyOf(config), '0')
      }
    },
  }
}
