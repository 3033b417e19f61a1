import { ApiError } from 'protocol/client'
import { useEffect } from 'react'
import { useValue } from '../lib/use-value.ts'
import { Value } from '../lib/value.ts'

const againAfterMs = 5_000
/** The least time between two reads for changes that the server reports, ms. */
const changesEachMs = 300
/** A component that begins to show data which others show too reads it again only if the last read began longer ago, ms. */
const sharedForMs = 10_000
/** How many answers are kept that no component shows, for the return to their page. */
const mostUnused = 40

/** All data of the server that this page has read, by key, least recently used first. */
const all = new Map<string, Remote<unknown>>()

/**
 * Data of the server, shared by all components that show it. It is read on first use and after each change named in `on`. While the server is
 * unreachable, the last good answer stays.
 */
export class Remote<T> {
  readonly value = new Value<T | undefined>(undefined)
  /** The reason why the last read failed. */
  readonly problem = new Value<ApiError | undefined>(undefined)
  readonly #key: string
  #read: () => Promise<T>
  readonly #on: Set<string>
  /** True if the data may be removed from memory after its last use. */
  readonly #isPassing: boolean
  /** The number of components that show the data. */
  #users = 0
  /** True if the data is kept up to date until the person signs out, also while no component shows it. */
  #isList = false
  #isStale = true
  #isReading = false
  #lastReadAt = 0
  /** Incremented when answers to earlier reads no longer count, as at each sign-out. */
  #turn = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  /** @param on the changes after which the data is read again; undefined: those that the components name which show it */
  constructor(key: string, read: () => Promise<T>, on?: readonly string[]) {
    this.#key = key
    this.#read = read
    this.#on = new Set(on)
    this.#isPassing = on === undefined
    all.set(key, this as Remote<unknown>)
  }

  get isUnused(): boolean {
    return this.#users === 0 && !this.#isList
  }

  /** Keeps the data up to date until the person signs out. */
  want(): void {
    this.#isList = true
    const isMissing = this.#isStale || this.problem.get() !== undefined
    if (isMissing && !this.#isReading) this.renew()
  }

  /** Counts a component that shows the data. @returns a function for the component's end */
  use(read: () => Promise<T>, on: readonly string[]): () => void {
    // It may have been removed between the component's first draw and this call.
    all.delete(this.#key)
    all.set(this.#key, this as Remote<unknown>)
    this.#read = read
    for (const what of on) this.#on.add(what)
    const isFirst = this.isUnused
    this.#users += 1
    const isOld = isFirst || this.problem.get() !== undefined || Date.now() - this.#lastReadAt > sharedForMs
    if (isOld && !this.#isReading) this.renew()
    return () => {
      this.#users -= 1
      if (!this.isUnused) return
      clearTimeout(this.#timer)
      this.problem.set(undefined)
      const unused = [...all.values()].filter((remote) => remote.isUnused && remote.#isPassing)
      for (const remote of unused.slice(0, -mostUnused)) all.delete(remote.#key)
    }
  }

  /** Reads the data again: at once if it is in use, otherwise on the next use. */
  readonly renew = (): void => {
    this.#isStale = true
    if (!this.isUnused) void this.#fetch()
  }

  /** Reads the data again if it depends on the part that changed. Many changes in a row cost a few reads. */
  renewAfter(what: string): void {
    if (!this.#on.has(what)) return
    this.#isStale = true
    if (!this.isUnused && !this.#isReading) this.#fetchSoon()
  }

  /** Shows `data`, the server's answer to a change. */
  readonly put = (data: T): void => {
    const isReading = this.#isReading
    this.#drop()
    this.#isStale = false
    this.problem.set(undefined)
    this.value.set(data)
    // The dropped answer may hold another change.
    if (isReading) this.renew()
  }

  forget(): void {
    this.#drop()
    this.#isStale = true
    this.#isList = false
    this.problem.set(undefined)
    this.value.set(undefined)
  }

  /** Ignores the answer to a read that is in progress. */
  #drop(): void {
    this.#turn += 1
    this.#isReading = false
    clearTimeout(this.#timer)
  }

  async #fetch(): Promise<void> {
    if (this.#isReading) return
    clearTimeout(this.#timer)
    const turn = this.#turn
    this.#isStale = false
    this.#isReading = true
    this.#lastReadAt = Date.now()
    const answer = await this.#read().then(
      (data) => ({ data }),
      (error: unknown) => ({ problem: problemOf(error) }),
    )
    if (turn !== this.#turn) return
    this.#isReading = false
    if ('data' in answer) {
      this.problem.set(undefined)
      this.value.set(answer.data)
    } else {
      this.problem.set(answer.problem)
      // Lists show no problem and have no button, so only a refusal ends their attempts: the page connects again when the person's role changes.
      const { code } = answer.problem
      if (this.#isList ? code !== 'forbidden' : code === 'unreachable')
        this.#timer = setTimeout(this.renew, againAfterMs)
    }
    // The data changed on the server while it was read, so read it again.
    if (this.#isStale && !this.isUnused) this.#fetchSoon()
  }

  #fetchSoon(): void {
    clearTimeout(this.#timer)
    const restMs = this.#lastReadAt + changesEachMs - Date.now()
    if (restMs <= 0) void this.#fetch()
    else this.#timer = setTimeout(this.renew, restMs)
  }
}

/** Returns the error of a failed request, also one that is not the server's. */
export const problemOf = (error: unknown): ApiError =>
  error instanceof ApiError ? error : new ApiError('unreadable', 'The answer could not be read.')

/** Returns the data with a key, of which there is one for the whole dashboard. */
export const remoteOf = <T>(key: string, read: () => Promise<T>): Remote<T> =>
  (all.get(key) as Remote<T> | undefined) ?? new Remote(key, read)

/** Reads again all data in use that a change concerns. @param what the part that changed; `connect`: any part may have changed */
export function renewAll(what: string): void {
  for (const remote of all.values()) remote.renewAfter(what)
}

/** Removes data that no component shows. @param only the key; undefined: all such data */
export function forgetUnused(only?: string): void {
  for (const [key, remote] of all) if (remote.isUnused && (only ?? key) === key) remote.forget()
}

/** Removes all data, because another person may sign in. */
export function forgetAll(): void {
  for (const remote of all.values()) remote.forget()
}

export function useRemote<T>(remote: Remote<T>): T | undefined {
  useEffect(() => remote.want(), [remote])
  return useValue(remote.value)
}
