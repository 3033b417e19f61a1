import { createPrivateKey } from 'node:crypto'
import jwt from 'jsonwebtoken'
import { z } from 'zod'
import { ModelError } from '../../agent/model.ts'
import { isLoopbackHost } from '../../lib/loopback.ts'
import { whyUnreachable } from '../../lib/unreachable.ts'
import type { KeyForm, Signer } from './signer.ts'

const usualAddress = 'https://oauth2.googleapis.com/token'
const Account = z.object({
  type: z.literal('service_account'),
  client_email: z.string().min(1),
  private_key: z.string().min(1),
  private_key_id: z.string().optional(),
  token_uri: z.url().default(usualAddress),
})
type Account = z.output<typeof Account>

const scope = 'https://www.googleapis.com/auth/cloud-platform'
/** Lifetime of the signed request for a token, s. Google allows an hour. */
const lastsSeconds = 300
/** A token is replaced this long before its end, ms. */
const earlyMs = 60_000
const patienceMs = 10_000

/** The key file of a service account of Google Cloud, as JSON. It is exchanged for an access token, which is renewed before it ends. */
export const googleKey: KeyForm = {
  fits: (key) => key.startsWith('{'),
  fault(key) {
    const account = accountIn(key)
    if (account === undefined)
      return 'The key begins like JSON but is not the key file of a service account of Google Cloud: it needs type, client_email and private_key.'
    const { protocol, hostname } = new URL(account.token_uri)
    if (protocol !== 'https:' && !(protocol === 'http:' && isLoopbackHost(hostname)))
      return 'The token_uri of the service account must begin with https://.'
    try {
      createPrivateKey(account.private_key)
    } catch {
      return 'The private_key of the service account cannot be read. Download a new key file.'
    }
    return undefined
  },
  nameOf: (key) => accountIn(key)?.client_email ?? '',
  signer: (key) => new GoogleSigner(accountIn(key)),
}

function accountIn(key: string): Account | undefined {
  try {
    return Account.safeParse(JSON.parse(key)).data
  } catch {
    return undefined
  }
}

type Token = { text: string; endsAt: number }
const TokenReply = z.object({ access_token: z.string().min(1), expires_in: z.number().default(3_600) })
const Refusal = z.object({ error: z.string(), error_description: z.string().optional() })

class GoogleSigner implements Signer {
  readonly #account: Account | undefined
  #token: Token | undefined
  /** The token that a server refused last. The server's message may quote it. */
  #refused: string | undefined
  /** The exchange that is under way; requests at the same time share it. */
  #exchange: Promise<Token> | undefined

  constructor(account: Account | undefined) {
    this.#account = account
  }

  secrets(): string[] {
    return [this.#account?.private_key, this.#token?.text, this.#refused].filter((text) => text !== undefined)
  }

  async headers(): Promise<Record<string, string>> {
    if (this.#token === undefined || this.#token.endsAt - earlyMs <= Date.now()) {
      this.#exchange ??= this.#exchanged().finally(() => {
        this.#exchange = undefined
      })
      this.#token = await this.#exchange
    }
    return { authorization: `Bearer ${this.#token.text}` }
  }

  refused(): void {
    this.#refused = this.#token?.text ?? this.#refused
    this.#token = undefined
  }

  /** Exchanges a signed request for an access token. Source: RFC 7523 and Google's "Using OAuth 2.0 for Server to Server Applications". */
  async #exchanged(): Promise<Token> {
    if (this.#account === undefined) throw refusal('The key file of the service account cannot be read.')
    const { client_email: issuer, private_key: key, private_key_id: keyid, token_uri: audience } = this.#account
    const assertion = jwt.sign({ scope }, key, {
      algorithm: 'RS256',
      issuer,
      audience,
      expiresIn: lastsSeconds,
      ...(keyid !== undefined && { keyid }),
    })
    const { host } = new URL(audience)
    const response = await fetch(audience, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }),
      signal: AbortSignal.timeout(patienceMs),
      redirect: 'error',
    }).catch((cause: unknown) => {
      const why = whyUnreachable(cause)
      throw new ModelError('model_unreachable', `Cannot reach ${host} for an access token: ${why}.`, {
        isRetryable: true,
        cause,
      })
    })
    const body: unknown = await response.json().catch(() => undefined)
    const reply = TokenReply.safeParse(body)
    if (response.ok && reply.success)
      return { text: reply.data.access_token, endsAt: Date.now() + reply.data.expires_in * 1000 }
    const said = Refusal.safeParse(body).data
    const words = said === undefined ? '' : `: ${said.error_description ?? said.error}`.slice(0, 300)
    throw refusal(`${host} gives no access token for ${issuer} (HTTP ${response.status})${words.replace(/\.$/, '')}.`)
  }
}

const refusal = (message: string) => new ModelError('model_auth', message, { isRetryable: false })
