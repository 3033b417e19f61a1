/** An answer of a browser. `clientDataJSON`: the browser's statement about the ceremony, JSON in base64url. */
type Answer = { response: { clientDataJSON: string } }

/** True if the passkey was used in a frame on a page of another site, because such a page could mislead the person. @throws SyntaxError */
export function isFramed({ response }: Answer): boolean {
  const said = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString('utf8')) as Record<string, unknown>
  return (said.crossOrigin ?? false) !== false || said.topOrigin !== undefined
}

/** Returns the challenge that the browser's answer contains; empty if the answer cannot be read. */
export function challengeIn({ response }: Answer): string {
  try {
    const said = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString('utf8')) as unknown
    const { challenge } = said as { challenge?: unknown }
    return typeof challenge === 'string' ? challenge : ''
  } catch {
    return ''
  }
}
