import type { z } from 'zod'

export type ReadAs<T> = { ok: true; value: T } | { ok: false; problem: string }

/**
 * What came from outside, as a schema has it; `problem` names each field that is wrong. Never throws for what JSON can hold:
 * zod compares the `length` of whatever has one, which throws where that is no number and cannot become one.
 */
export function readAs<T>(schema: z.ZodType<T>, value: unknown): ReadAs<T> {
  try {
    const parsed = schema.safeParse(value)
    if (parsed.success) return { ok: true, value: parsed.data }
    const said = parsed.error.issues.map(({ path, message }) =>
      path.length === 0 ? message : `${path.join('.')}: ${message}`,
    )
    return { ok: false, problem: said.join('; ') }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return { ok: false, problem: 'An object stands where its field takes a text or a list.' }
  }
}
