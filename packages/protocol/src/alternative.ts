import { z } from 'zod'

/** `z.custom`, because `z.record` drops a key named `__proto__`, which must be refused like any other. */
const AnyObject = z.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be an object',
)

/** A call that the operator makes in place of a call that the same decision denies. The gate judges it like any call of the operator. */
export const Alternative = z.strictObject({ toolName: z.string().min(1).max(200), toolInput: AnyObject })
export type Alternative = z.infer<typeof Alternative>
