import { ApiError, type Client, createClient, type Fetch } from 'protocol/client'
import type { Files } from 'protocol/routes'

/** The sign-in of a person. `token`: undefined if a cookie holds it, which scripts cannot read. */
type Holder = { token?: string }

let holder: () => Holder | undefined = () => undefined
let onSignedOut = () => {}
let askForPassword: () => Promise<boolean> = async () => false

/** Sets how to read the current sign-in, what to do when the server no longer accepts it, and how to ask for the password again. */
export function setCredentials(source: typeof holder, signedOut: typeof onSignedOut, ask: typeof askForPassword): void {
  holder = source
  onSignedOut = signedOut
  askForPassword = ask
}

/** The token; undefined if nobody is signed in or a cookie holds it. */
export const bearer = (): string | undefined => holder()?.token

/** Makes a client of the server of this page, as the person who is signed in. */
export const clientOver = (fetch: Fetch): Client => createClient({ url: '', token: bearer, fetch })

const once = clientOver((address, asked) => fetch(address, asked).catch(unreached))

/** Makes a request. If the server asks for the password, asks the person and repeats the request. @throws ApiError */
export const call: Client['call'] = (...asked) => withPassword(() => asPerson(() => once.call(...asked)))
/** Reads a file, as `call`. @throws ApiError */
export const file: <Route extends keyof Files>(...asked: Parameters<typeof once.open<Route>>) => Promise<Blob> = (
  ...asked
) => withPassword(() => asPerson(async () => (await once.open(...asked)).blob().catch(unreached)))

function unreached(error: unknown): never {
  if ((error as Error).name === 'AbortError') throw error
  throw new ApiError('unreachable', 'JARVIS could not be reached. Is it running?')
}

/** Ends the sign-in of this page if the server no longer accepts it. */
async function asPerson<T>(attempt: () => Promise<T>): Promise<T> {
  const asking = holder()
  try {
    return await attempt()
  } catch (error) {
    const { code } = error as { code?: unknown }
    const isSignedOut = code === 'unauthorized' || code === 'token_expired'
    // An error for an earlier sign-in does not end the present one.
    if (isSignedOut && asking === holder()) onSignedOut()
    throw error
  }
}

/**
 * Runs `attempt`. If the server asks for the password, asks the person and runs `attempt` again. @throws ApiError any error of `attempt`;
 * `step_up_required` if the person gave no password
 */
export async function withPassword<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt()
  } catch (error) {
    const isAsked = (error as { code?: unknown }).code === 'step_up_required'
    if (!isAsked || !(await askForPassword())) throw error
    return await attempt()
  }
}
