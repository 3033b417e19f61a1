import type { AttachedServerConfig } from 'protocol'
import type { AttachedSignInStore } from '../../../calls/ports.ts'
import { visible } from '../text.ts'
import { SignInRefused } from './discovery.ts'
import { hashOf, type OwnClient, type Pin } from './tokens.ts'

export type HttpConfig = Extract<AttachedServerConfig, { url: string }>

const pinPrefix = 'pin:'
const isSameIssuer = (a: string, b: string) => a.replace(/\/$/, '') === b.replace(/\/$/, '')
/** Returns the SHA-256 of the client that an owner wrote into `mcp.json`, with its secret; undefined if there is none. */
export const ownClient = ({ oauth }: HttpConfig): string | undefined =>
  oauth?.clientId === undefined ? undefined : hashOf(JSON.stringify([oauth.clientId, oauth.clientSecret]))

/** The authorization server at which the secret of each server's hand-written client was used first. */
export class Pins {
  readonly #store: Pick<AttachedSignInStore, 'keep' | 'forget'>
  readonly #pins = new Map<string, Pin>()

  constructor(store: Pick<AttachedSignInStore, 'keep' | 'forget'>) {
    this.#store = store
  }

  /** Reads a stored row. @returns false if the row is no pin */
  read(key: string, text: string): boolean {
    if (!key.startsWith(pinPrefix)) return false
    this.#pins.set(key.slice(pinPrefix.length), JSON.parse(text) as Pin)
    return true
  }

  /** Returns the issuer at which a hand-written client was used first; undefined if it was not used yet. */
  issuerOf(server: string, own: string): string | undefined {
    const pin = this.#pins.get(server)
    return pin?.client === own ? pin.issuer : undefined
  }

  /** Requires that a client from `mcp.json` is used only at its own issuer. @throws SignInRefused at another issuer */
  requireIssuer(server: string, issuer: string, config: HttpConfig): void {
    const own = ownClient(config)
    if (own === undefined) return
    const named = config.oauth?.issuer
    const allowed = named ?? this.issuerOf(server, own)
    if (allowed === undefined || isSameIssuer(allowed, issuer)) return
    throw new SignInRefused(
      `The client in mcp.json ${named === undefined ? 'was first used at' : 'is for'} ${allowed}, and ${server} names ${visible(issuer, 200)} now. Its secret goes nowhere else, and nothing was sent. If ${visible(issuer, 200)} is right, write it as oauth.issuer of ${server} into mcp.json.`,
    )
  }

  /**
   * Stores the issuer of a hand-written client before the client's secret is sent there. @throws SignInRefused if the client was used at another
   * issuer in the meantime
   */
  keep(server: string, own: OwnClient | undefined, issuer: string): void {
    if (own === undefined || own.isNamed) return
    const used = this.issuerOf(server, own.client)
    if (used !== undefined && !isSameIssuer(used, issuer))
      throw new SignInRefused(`The client in mcp.json was used at ${used} meanwhile`)
    if (used !== undefined) return
    const next = { issuer, client: own.client }
    this.#store.keep(pinPrefix + server, JSON.stringify(next))
    this.#pins.set(server, next)
  }

  forget(server: string): void {
    if (this.#pins.delete(server)) this.#store.forget(pinPrefix + server)
  }
}
