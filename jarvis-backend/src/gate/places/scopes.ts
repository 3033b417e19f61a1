import type { Verdict } from 'protocol'
import { quoted } from 'redaction/visible'
import { orderIn, taintIn } from '../decide.ts'
import type { Effect, ScopeOf } from '../effect.ts'
import type { Call, World } from '../world.ts'
import { absoluteOf, sessionRoot } from './roots.ts'
import { pathId } from './targets.ts'
import { isPrivateSite } from './web-rules.ts'

/**
 * A folder or website for which a person may grant effects of one kind. `id`: `path/ROOT/FOLDER` or `web/ORIGIN`. `at`: the folder's absolute path,
 * so that the grant ends if policy.yaml moves the root; for a website, its origin. `words`: describes the covered calls for people.
 */
export type Scope = { of: ScopeOf; id: string; at: string; words: string }

/** The only rule for which a grant with a scope counts. If another rule asks, shipped or the operator's, the call asks each time. */
const askedBy: Readonly<Record<ScopeOf, string>> = { files: 'change_in_root', clicks: 'risky_arguments' }

/**
 * Returns the scopes that cover all effects of a call, the narrowest first; empty if each such call must ask. Pure.
 * @param judged.verdict the final verdict on the call
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
  // The operator made this tool red, so each call must ask.
  if (world.policy.tiers.get(call.toolName) === 'red') return []
  if (effects.some(({ scope }) => scope !== of) || isFromResult(call, effects, world)) return []
  return of === 'files' ? foldersOf(effects, world) : sitesOf(effects, world)
}

/** Returns true if words of the call came from a tool result, or if a result orders the call. An error counts as true. */
function isFromResult(call: Call, effects: readonly Effect[], world: World): boolean {
  try {
    return taintIn(call, effects, world) !== undefined || orderIn(call, effects) !== undefined
  } catch {
    return true
  }
}

/** Returns the folder that contains all the files, and the folders above it up to its root. */
function foldersOf(effects: readonly Effect[], world: World): Scope[] {
  const [first] = effects
  const root = first?.place?.root
  const parts = effects.map(({ place }) => place?.path.split('/').slice(0, -1) ?? [])
  // The root itself is in no folder that can be granted.
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

/** Returns the common origin of all addresses: the same protocol, host and port. Origins in the private network never count. */
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
