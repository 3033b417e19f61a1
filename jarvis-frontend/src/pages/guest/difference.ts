import type { Change, GuestReply } from 'jarvis-backend/protocol'
import { configured } from './settings.ts'

type Config = NonNullable<GuestReply['config']>
/** A value before and after. Undefined: the key is not set. */
export type Difference = { key: string; then: string | undefined; now: string | undefined }

const redacted = '[redacted]'

/** The differences between two configurations, by key. A value that holds a secret is not compared; `secrets` names its key. */
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
  // `lock` and `template` are states of the guest and not settings.
  const keys = [...Object.keys(values), ...Object.keys(config.values), ...Object.keys(config.pending)]
  return differencesOf(
    new Map(Object.entries(values)),
    config,
    keys.filter((key) => !['digest', 'lock', 'parent', 'template'].includes(key)),
  )
}

/** The settings that a change left behind, by key; undefined where it changed none. */
export function leftBy({
  toolInput: { set, remove },
  target,
}: Change): ReadonlyMap<string, string | undefined> | undefined {
  if (target.kind !== 'guest') return undefined
  const gets = typeof set === 'object' && set !== null && !Array.isArray(set) ? Object.entries(set) : []
  const loses = Array.isArray(remove) ? remove.map(String) : []
  if (gets.length + loses.length === 0) return undefined
  return new Map([
    ...gets.map(([key, value]) => [key, String(value)] as const),
    ...loses.map((key) => [key, undefined] as const),
  ])
}

export const againstChange = (left: ReadonlyMap<string, string | undefined>, config: Config) =>
  differencesOf(left, config, left.keys())
