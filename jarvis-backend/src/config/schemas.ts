import { z } from 'zod'

/** A whole number within bounds. @param fallback returned if nothing is set */
export const wholeNumber = ([least, most]: readonly [least: number, most: number], fallback: number, example: string) =>
  z
    .string()
    .refine((text) => /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most, {
      message: `must be a whole number from ${least} to ${most}, for example ${example}`,
    })
    .transform(Number)
    .optional()
    .transform((value) => value ?? fallback)

/** The items of a comma-separated list, trimmed and without empty items. */
export const itemsOf = (list: string): string[] =>
  list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

/** A comma-separated list in lower case; empty if nothing is set. */
export const listOf = () =>
  z
    .string()
    .default('')
    .transform((list) => itemsOf(list.toLowerCase()))

/** An address of a server that speaks HTTP. */
export const urlText = z.string().refine((text) => /^https?:\/\//.test(text) && URL.canParse(text), {
  message: 'must be a URL that begins with http:// or https://, for example http://127.0.0.1:11434/v1',
})
