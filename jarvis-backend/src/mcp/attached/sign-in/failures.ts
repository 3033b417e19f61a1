import { isLoopbackHost } from '../../../lib/loopback.ts'
import { whyUnreachable } from '../../../lib/unreachable.ts'
import { visible } from '../text.ts'
import { SignInRefused } from './discovery.ts'

/** Returns why no authorization server would redirect a browser to an origin; undefined if one would. */
export function placeProblem(origin: string): string | undefined {
  const { protocol, hostname } = new URL(origin)
  if (protocol === 'https:' || isLoopbackHost(hostname)) return undefined
  return `A sign-in is sent back to JARVIS at https or on this machine alone, not at ${origin}. Open JARVIS at its https address (JARVIS_PUBLIC_URL), or at localhost.`
}

/** Returns an error which, like an answer with this status, means that the call did not run. */
export const notSent = (status: number, message: string) => Object.assign(new Error(message), { status })

/** Describes a failure in words, without any data that was sent. */
export function wordsOf(error: unknown): string {
  if (error instanceof SignInRefused) return error.message
  const { name, code } = error as { name?: unknown; code?: unknown }
  if (name === 'IssuerMismatchError') return 'The answer came from another authorization server'
  if (name === 'OAuthError' && typeof code === 'string') return `The authorization server refused: ${visible(code, 60)}`
  if (error instanceof Error && typeof code === 'string')
    return `The authorization server cannot be reached: ${whyUnreachable(error)}`
  return error instanceof Error ? visible(error.message, 300) : 'The answer is not understood'
}
