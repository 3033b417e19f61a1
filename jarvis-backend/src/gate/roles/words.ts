import { effectKindFacts } from '../effect-kinds.ts'
import type { ScopeForm } from '../policy/roles-schema.ts'

/** Joins words as a choice: `a`, `a or b`, `a, b or c`. */
export function either(words: readonly string[]): string {
  const last = words.at(-1) ?? ''
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`
}

const clock = (minute: number) =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`

const placeOf = (target: string): string => {
  const [kind, name = ''] = target.split(/:(.*)/)
  if (kind === 'tag') return `guests tagged ${name}`
  return kind === 'pool' ? `guests of the pool ${name}` : target
}

/** Describes a scope in one sentence: `May restart ct/130 from 08:00 to 22:00.` */
export function scopeSentence({ may, tools, tiers, on, hours, days }: ScopeForm): string {
  const what = may === undefined ? 'use tools on' : either(may.map((word) => effectKindFacts(word)?.may ?? word))
  const place = on === 'all' ? 'everything' : either(on.map(placeOf))
  return [
    `May ${what} ${place}`,
    ...(tools === undefined ? [] : [` with ${either(tools)}`]),
    ...(tiers === undefined ? [] : [`, where the call is ${either(tiers)}`]),
    ...(hours === undefined ? [] : [` from ${clock(hours.from)} to ${clock(hours.to)}`]),
    ...(days === undefined ? [] : [` on ${either(days)}`]),
    '.',
  ].join('')
}
