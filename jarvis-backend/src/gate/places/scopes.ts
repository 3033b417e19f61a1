import type { Verdict } from 'protocol'
import { quoted } from 'redaction/visible'
import { orderIn, taintIn } from '../decide.ts'
import type { Effect, ScopeOf } from '../effect.ts'
import type { Call, World } from '../world.ts'
import { absoluteOf, sessionRoot } from './roots.ts'
import { pathId } from './targets.ts'
import { isPrivateSite } from './web-rules.ts'

/**
 * A folder or a site for which a person may allow effects of one kind beforehand. `id`: `path/ROOT/FOLDER` or `web/ORIGIN`. `at`: the
 * folder's absolute path, so that a root that policy.yaml moves is another folder; for a site, its origin. `words`: the calls that it covers,
 * for people.
 */
export type Scope = { of: ScopeOf; id: string; at: string; words: string }

/** The one rule that may have asked. A call that another rule asks about, shipped or the operator's, asks each time. */
const askedBy: Readonly<Record<ScopeOf, string>> = { files: 'change_in_root', clicks: 'risky_arguments' }

/**
 * The scopes that hold all effects of a call, the narrowest first; empty if each such call must ask. Pure.
 * @param judged.verdict the final one on the call
 */
export function scopesOf(
  call: Call,
  { effects, verdict }: { effects: readonly Effect[]; verdict: Verdict },
  world: World,
): Scope[] {
  const [{ scope: of } = {}] = effects
  const { tier, rule, reasons, approve, proof } = verdict
  const isPlain = tier === 'red' && reasons === undefined && approve === undefined && proof === undefined
  if (of === undefined || !isPlain || rule !== askedBy[of]) return []
  // The operator wants to be asked for this tool.
  if (world.policy.tiers.get(call.toolName) === 'red') return []
  if (effects.some(({ scope }) => scope !== of) || isFromResult(call, effects, world)) return []
  return of === 'files' ? foldersOf(effects, world) : sitesOf(effects, world)
}

/** Returns whether the words of the call came from a result, or a result orders it. An error counts as yes. */
function isFromResult(call: Call, effects: readonly Effect[], world: World): boolean {
  try {
    return taintIn(call, effects, world) !== undefined || orderIn(call, effects) !== undefined
  } catch {
    return true
  }
}

/** The folder that holds all files, and the folders above it, up to its root. */
function foldersOf(effects: readonly Effect[], world: World): Scope[] {
  const [first] = effects
  const root = first?.place?.root
  const parts = effects.map(({ place }) => place?.path.split('/').slice(0, -1) ?? [])
  // The root itself is not a file in it.
  if (
    root === undefined ||
    root === sessionRoot ||
    effects.some(({ place }) => place?.root !== root || place.path === '')
  )
    return []
  const shared = parts.reduce((one, other) => one.slice(0, sharedCount(one, other)))
  return Array.from({ length: shared.length + 1 }, (_, up): Scope[] => {
    const place = { root, path: shared.slice(0, shared.length - up).join('/') }
    const at = absoluteOf(place, world)
    const id = pathId(place)
    const words = `changes of files in ${quoted(id.slice('path/'.length), 200)} and its folders`
    return at === undefined ? [] : [{ of: 'files', id, at, words }]
  }).flat()
}

function sharedCount(one: readonly string[], other: readonly string[]): number {
  const end = one.findIndex((part, at) => part !== other[at])
  return end < 0 ? one.length : end
}

/** The origin of all addresses, exactly: protocol, host and port. Never one of this network. */
function sitesOf(effects: readonly Effect[], world: World): Scope[] {
  const origins = new Set(effects.map(({ url }) => originOf(url, world)))
  const [origin] = origins
  if (origins.size !== 1 || origin === undefined) return []
  return [{ of: 'clicks', id: `web/${origin}`, at: origin, words: `clicks and Enter on ${quoted(origin, 300)}` }]
}

function originOf(url: string | undefined, world: World): string | undefined {
  if (url === undefined || !URL.canParse(url) || isPrivateSite(url, world)) return undefined
  const { origin, protocol } = new URL(url)
  return protocol === 'http:' || protocol === 'https:' ? origin : undefined
}
