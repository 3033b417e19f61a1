import type { GuestReply } from 'protocol'
import { configured } from './settings.ts'

type Config = NonNullable<GuestReply['config']>
/** A value before (`then`) and now. Undefined: the key is not set. */
export type Difference = { key: string; then: string | undefined; now: string | undefined }

const redacted = '[redacted]'

/** Returns the differences between two configurations, by key. A value that contains a secret is not compared; `secrets` lists its key. */
export function differencesOf(
  then: ReadonlyMap<string, string | undefined>,
  config: Config,
  keys: Iterable<string>,
): { found: Difference[]; secrets: string[] } {
  const found: Difference[] = []
  const secrets: string[] = []
  for (const key of [...new Set(keys)].sort()) {
    const [was, is] = [then.get(key), configured(config, key) || undefined]
    if (`${was}${is}`.includes(redacted)) secrets.push(key)
    else if ((was || undefined)?.trim() !== is?.trim()) found.push({ key, then: was || undefined, now: is })
  }
  return { found, secrets }
}

/** The differences between a snapshot and the present configuration, over the keys of both. */
export const againstSnapshot = (values: Readonly<Record<string, string>>, config: Config) => {
  // Leave out `lock` and `template`, which are states of the guest and not settings.
  const keys = [...Object.keys(values), ...Object.keys(config.values), ...Object.keys(config.pending)]
  return differencesOf(
    new Map(Object.entries(values)),
    config,
    keys.filter((key) => !['digest', 'lock', 'parent', 'template'].includes(key)),
  )
}

export const againstChange = (left: ReadonlyMap<string, string | undefined>, config: Config) =>
  differencesOf(left, config, left.keys())
