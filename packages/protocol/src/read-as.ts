import type { z } from 'zod'

export type ReadAs<T> = { ok: true; value: T } | { ok: false; problem: string }

/**
 * Parses external input with a schema. `problem` names each wrong field. Never throws for JSON values, although zod itself throws a TypeError if an
 * object has a `length` that cannot become a number.
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
