import type { Clock } from '../lib/clock.ts'
import type { Learned, LeftOut } from './learned.ts'
import { type ConfiguredModel, isServed, type ServedPlace } from './model-api.ts'

/** Time for which a refused part is left out, ms. Afterwards it is tried again, because servers are updated. */
const learnedForMs = 30 * 24 * 60 * 60_000

type Part = { part: string; at: number; leftOut?: LeftOut }

/** Stores texts under names; they survive a restart. */
export type KeptTexts = { get(name: string): string | undefined; set(name: string, text: string): void }

export type LearnedStoreParts = {
  settings: KeptTexts
  clock: Pick<Clock, 'now'>
  redact(text: string): string
  /** Called when a tool has been left out of requests. @param id the model's id */
  leftOut(id: string, left: LeftOut): void
}

/** Stores which parts of requests servers refused, by API, address and model. The records survive a restart. */
export class LearnedStore {
  readonly #parts: LearnedStoreParts
  /** Tools that were left out since the last call of `newly`, by the model's id. */
  readonly #added = new Map<string, LeftOut[]>()

  constructor(parts: LearnedStoreParts) {
    this.#parts = parts
  }

  /** The refused parts of one model. */
  of(model: ServedPlace & { provider: string }): Learned {
    const { settings, clock, redact } = this.#parts
    const key = keyOf(model)
    const parts = this.#read(key)
    // Records of an earlier release have no time, so their time begins now.
    if (parts.length > 0) settings.set(key, JSON.stringify(parts))
    return {
      has: (part) => parts.some((known) => known.part === part),
      find: (start) => parts.findLast(({ part }) => part.startsWith(start))?.part,
      add: (part, given) => {
        const leftOut = given && { ...given, why: redact(given.why) }
        parts.push({ part, at: clock.now(), leftOut })
        settings.set(key, JSON.stringify(parts))
        if (leftOut === undefined) return
        const id = idOf(model)
        this.#added.set(id, [...(this.#added.get(id) ?? []), leftOut])
        this.#parts.leftOut(id, leftOut)
      },
    }
  }

  /** Notes that the server of a model refused all tools. */
  learnTalksOnly(model: ConfiguredModel): void {
    if (isServed(model)) this.#parts.settings.set(talkKeyOf(model), String(this.#parts.clock.now()))
  }

  /** True if the server of a model refused all tools within the last 30 days. */
  talksOnly(model: ConfiguredModel): boolean {
    const { settings, clock } = this.#parts
    return isServed(model) && clock.now() - Number(settings.get(talkKeyOf(model)) ?? 0) < learnedForMs
  }

  /** The tools that were left out for a model since the last call. */
  newly(id: string): LeftOut[] {
    const found = this.#added.get(id) ?? []
    this.#added.delete(id)
    return found
  }

  /** The tools that are left out, each with the id of its model. */
  leftOut(models: readonly ConfiguredModel[]): [string, LeftOut][] {
    return models
      .filter(isServed)
      .flatMap((model) =>
        this.#read(keyOf(model)).flatMap(({ leftOut }): [string, LeftOut][] =>
          leftOut ? [[idOf(model), leftOut]] : [],
        ),
      )
  }

  /** Deletes the refusals of these servers, so that requests contain all parts again. */
  forget(places: readonly ServedPlace[]): void {
    for (const place of places) {
      this.#parts.settings.set(keyOf(place), '[]')
      this.#parts.settings.set(talkKeyOf(place), '0')
    }
  }

  #read(key: string): Part[] {
    const kept = JSON.parse(this.#parts.settings.get(key) ?? '[]') as (string | Part)[]
    const now = this.#parts.clock.now()
    // An earlier release stored only the names.
    return kept
      .map((one) => (typeof one === 'string' ? { part: one, at: now } : one))
      .filter(({ at }) => now - at < learnedForMs)
  }
}

const idOf = ({ provider, model }: { provider: string; model: string }): string => `${provider}/${model}`
const placeOf = ({ kind, baseUrl, model }: ServedPlace): string => JSON.stringify([kind, baseUrl ?? '', model])
const keyOf = (place: ServedPlace): string => `refused_parts:${placeOf(place)}`
const talkKeyOf = (place: ServedPlace): string => `talks_only:${placeOf(place)}`
