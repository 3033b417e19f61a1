import { type Model, ModelError } from './model.ts'

/** A refused request is refused for what it says, and what was shown is not taken back. */
export const mayFallBack = ({ code, hasSpoken }: ModelError): boolean => code !== 'model_bad_request' && !hasSpoken

/**
 * Asks models in turn for what nobody is shown, until one answers: the next one where a model fails or takes too long.
 * @param ask gets a signal of its own, which ends after `patienceMs` or with `signal`
 * @throws the last failure; the signal's reason as soon as it aborts
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
