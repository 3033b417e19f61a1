import { z } from 'zod'
import { type EffectKind, effectKindFacts, effectKindNames, type FormerKind, isFormerKind } from '../effect-kinds.ts'

/** A form for an object with exactly these keys. The error for another key lists the known keys. */
export const keys = <S extends z.ZodRawShape>(shape: S, what: string) =>
  z.strictObject(shape, {
    error: ({ code }) =>
      code === 'unrecognized_keys' ? `is not known here. Known: ${Object.keys(shape).join(', ')}` : `must be ${what}`,
  })
export const text = (what: string) => z.string({ error: `must be ${what}` })
export const matching = (form: RegExp, what: string) => text(what).regex(form, { error: `must be ${what}` })
/** A form that takes one item or a list of items. */
export const some = <S extends z.ZodType>(item: S) =>
  z.preprocess((value) => (Array.isArray(value) ? value : [value]), z.array(item).min(1, 'must not be empty').max(200))

/** A form for the name of a kind of effect. */
export const KindWord = z.custom<EffectKind | FormerKind>(
  (word) => typeof word === 'string' && (effectKindFacts(word) !== undefined || isFormerKind(word)),
  { error: () => `must be of ${effectKindNames().join(', ')}` },
)

export const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const
export const Days = some(z.enum(days, { error: `must be of ${days.join(', ')}` }))
/** Hours as minutes of the day. If `from` is after `to`, the period passes midnight. */
export const Hours = matching(
  /^(?:[01]\d|2[0-3]):[0-5]\d-(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/,
  'hours from-to, for example 22:00-07:00',
).transform((value) => {
  const [from = 0, to = 0] = value.split('-').map((time) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3)))
  return { from, to }
})

export const ToolName = text('the name of a tool')
/** Matches `tag:NAME` or `pool:NAME`, which select guests. */
export const markForm = /^(?:tag:[A-Za-z0-9_][\w+.-]{0,62}|pool:[A-Za-z0-9][\w./-]{0,62})$/
