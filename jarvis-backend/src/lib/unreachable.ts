import { ProxyFault } from './proxies.ts'

const reasons: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'it closed the connection',
  UND_ERR_SOCKET: 'it closed the connection',
  EPIPE: 'it closed the connection',
  ENOTFOUND: 'there is no such name',
  EAI_AGAIN: 'its name cannot be resolved now',
  ETIMEDOUT: 'it does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer',
  UND_ERR_HEADERS_TIMEOUT: 'it does not answer',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no way to it',
  EPROTO: 'it does not speak TLS there',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS there',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS there',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by no authority that this machine trusts',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by no authority that this machine trusts',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is signed by no authority that this machine trusts',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is signed by no authority that this machine trusts',
}

/**
 * Returns the reason why a connection failed, as words that continue a sentence about the host.
 * @param error from `fetch`, `node:http` or a client that uses them; its causes are examined too
 * @returns the system’s own message or code for unusual reasons
 */
export function whyUnreachable(error: unknown): string {
  let said = String(error)
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof ProxyFault) return at.message
    const { code } = at as { code?: unknown }
    if (typeof code === 'string') {
      if (code.startsWith('HPE_')) return 'what answers there does not speak HTTP'
      return reasons[code] ?? code
    }
    if (at.message === 'bad port') return 'no web client may use that port'
    if (at.message !== '') said = at.message
  }
  return said
}

/** Finds the fault of a proxy among the causes of an error; undefined if the failure has another cause. */
export function faultAtProxy(error: unknown): ProxyFault | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) if (at instanceof ProxyFault) return at
  return undefined
}

/** True if the reason is a certificate that is not accepted. @param why the text from `whyUnreachable` */
export const isMistrust = (why: string): boolean => why.startsWith('its certificate')

/** The system codes of an error and its causes, the outermost first. */
export function errorCodes(error: unknown): string[] {
  const codes: string[] = []
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') codes.push(at.code)
  }
  return codes
}
