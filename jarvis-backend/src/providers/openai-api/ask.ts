import { ModelError, type ModelRequest } from '../../agent/model.ts'
import { picturesIn } from '../conversation.ts'
import type { Sight } from '../sight.ts'
import { saidIn } from './refusals.ts'

/** Error codes that may be a refusal of the request. Local servers report with any status that their template cannot render a request. */
const refusals: ReadonlySet<string> = new Set(['model_bad_request', 'model_unfit', 'model_overloaded'])

type Asking<T> = {
  /** Sends the request once. `refusal` throws, and keeps the server's message for the next attempt. */
  send(refusal: (error: unknown) => never): Promise<T>
  /** Leaves out the part that the server's message refuses, or sends it in another form. @returns false if the message refuses no such part */
  leaveOut(said: string, error: ModelError): boolean
}

/** Sends a request. If the server refuses pictures or an optional part for this model, sends it again without them. */
export async function askWithoutRefused<T>(
  { messages }: Pick<ModelRequest, 'messages'>,
  sight: Pick<Sight, 'isBlind' | 'refused'>,
  { send, leaveOut }: Asking<T>,
): Promise<T> {
  for (;;) {
    let said = ''
    try {
      return await send((error) => {
        said = saidIn(error)
        throw error
      })
    } catch (error) {
      // The refusal of one picture does not mean that the model takes no pictures.
      if (!(error instanceof ModelError) || error.because === 'picture') throw error
      const words = said || error.message
      if (!error.hasSpoken && picturesIn(messages) > 0 && !sight.isBlind() && sight.refused(words)) continue
      const isRefusal = refusals.has(error.code) && !error.hasSpoken
      if (!isRefusal || !leaveOut(words, error)) throw error
    }
  }
}
