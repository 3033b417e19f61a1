import { ModelError, type ModelRequest } from '../../agent/model.ts'
import { picturesIn } from '../conversation.ts'
import type { Sight } from '../sight.ts'
import { saidIn } from './refusals.ts'

/** Local servers say with any status that their template cannot print a request. */
const refusals: ReadonlySet<string> = new Set(['model_bad_request', 'model_unfit', 'model_overloaded'])

type Asking<T> = {
  /** Asks once. `refusal` keeps the server's words about a request that it refuses. */
  send(refusal: (error: unknown) => never): Promise<T>
  /** Leaves out the part that these words refuse, or gives it another form. @returns false if they refuse none */
  leaveOut(said: string, error: ModelError): boolean
}

/** Asks a server, and again without what it refuses for this model: pictures, or an optional part of the request. */
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
      // A picture that is refused says nothing of others.
      if (!(error instanceof ModelError) || error.because === 'picture') throw error
      const words = said || error.message
      if (!error.hasSpoken && picturesIn(messages) > 0 && !sight.isBlind() && sight.refused(words)) continue
      const isRefusal = refusals.has(error.code) && !error.hasSpoken
      if (!isRefusal || !leaveOut(words, error)) throw error
    }
  }
}
