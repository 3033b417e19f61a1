/** Returns why a browser did not sign with a passkey or create one, in words for a person. Undefined: the person cancelled. */
export function passkeyProblem(error: unknown): string | undefined {
  if (!(error instanceof Error)) return 'The browser could not use a passkey.'
  if (error.name === 'NotAllowedError' || error.name === 'AbortError') return undefined
  if (error.name === 'InvalidStateError') return 'This device has a passkey of yours already.'
  if (error.name === 'SecurityError')
    return 'The browser gives no passkey to this address. Open JARVIS by its https name, or on its own machine by http://localhost.'
  return error.message
}
