import { type Model, ModelError } from './model.ts'

/**
 * True if another model may be asked after this error. Not after a bad request, which every model would refuse, and not if a person has already seen
 * part of the answer.
 */
export const mayFallBack = ({ code, hasSpoken }: ModelError): boolean => code !== 'model_bad_request' && !hasSpoken

/**
 * Asks models one after the other until one answers. The next model is asked if one fails or takes too long. Only for answers that are not shown
 * while they stream.
 * @param ask gets a signal that aborts when `patience` runs out, or when `signal` aborts
 * @throws the last failure; the signal’s reason as soon as it aborts
 */
export async function askInTurn<T>(
  [model, ...others]: readonly [Model, ...Model[]],
  ask: (model: Model, signal: AbortSignal) => Promise<T>,
  { signal, patience }: { signal: AbortSignal; patience(): { signal: AbortSignal; end(): void } },
): Promise<T> {
  const late = patience()
  try {
    return await ask(model, AbortSignal.any([signal, late.signal]))
  } catch (error) {
    signal.throwIfAborted()
    const [next, ...rest] = others
    const mayHelp = late.signal.aborted || (error instanceof ModelError && mayFallBack(error))
    if (next === undefined || !mayHelp) throw error
    return await askInTurn([next, ...rest], ask, { signal, patience })
  } finally {
    late.end()
  }
}
