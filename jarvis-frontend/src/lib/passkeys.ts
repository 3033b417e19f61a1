/** Options for `navigator.credentials`, as JSON of WebAuthn level 3. */
type Options = { challenge: string }

// Loaded on first use, as a separate chunk.
const library = () => import('@simplewebauthn/browser')

/** True if this page can use passkeys. The server knows if its own address allows them. */
export const hasPasskeys = (): boolean => window.isSecureContext && 'credentials' in navigator

/** Creates a passkey. @returns the browser's answer as JSON. @throws Error if the person declined or no device can create one */
export async function createPasskey(options: Options) {
  const { startRegistration } = await library()
  return startRegistration({ optionsJSON: options as never })
}

/**
 * Signs with a passkey. @param isOffered true: the browser offers passkeys in a field with `autocomplete="username webauthn"` and shows no dialog
 * @returns the browser's answer as JSON. @throws Error if the person declined
 */
export async function askPasskey(options: Options, isOffered = false) {
  const { startAuthentication } = await library()
  return startAuthentication({ optionsJSON: options as never, useBrowserAutofill: isOffered })
}

/** Cancels a passkey request that is offered in a field. */
export const endPasskeyOffer = async () => (await library()).WebAuthnAbortService.cancelCeremony()
