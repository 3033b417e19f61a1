/** Options for `navigator.credentials`, as JSON of WebAuthn level 3. */
type Options = { challenge: string }

// Loaded on first use, in a chunk of its own.
const library = () => import('@simplewebauthn/browser')

/** True if this page can use passkeys at all; the server knows whether its address can. */
export const hasPasskeys = (): boolean => window.isSecureContext && 'credentials' in navigator

/** Makes a passkey. @returns the browser's answer as JSON. @throws Error where the person declined or nothing can make one */
export async function createPasskey(options: Options) {
  const { startRegistration } = await library()
  return startRegistration({ optionsJSON: options as never })
}

/**
 * Signs with a passkey. @param isOffered the browser offers passkeys in a field with `autocomplete="username webauthn"` and shows no dialog
 * @returns the browser's answer as JSON. @throws Error where the person declined
 */
export async function askPasskey(options: Options, isOffered = false) {
  const { startAuthentication } = await library()
  return startAuthentication({ optionsJSON: options as never, useBrowserAutofill: isOffered })
}

/** Ends a passkey question that is offered in a field. */
export const endPasskeyOffer = async () => (await library()).WebAuthnAbortService.cancelCeremony()
